# Adds rich rules to the zone or policy $1. A policy is made if it does not exist: from the zone $2
# to the zone $3.
set -e
object=$1 ingress=$2 egress=$3
shift 3
for rule; do
	shift
	set -- "$@" "--add-rich-rule=$rule"
done
quietly() { firewall-cmd "$@" >/dev/null; }
listed() {
	policies=$(firewall-cmd "$@" --get-policies)
	case " $policies " in *" ${object#--policy=} "*) ;; *) false ;; esac
}

if [ -n "$ingress" ]; then
	listed --permanent || quietly --permanent --new-policy="${object#--policy=}"
	quietly --permanent "$object" --set-description="made by kinit"
	quietly --permanent "$object" --add-ingress-zone="$ingress"
	quietly --permanent "$object" --add-egress-zone="$egress"
fi
quietly --permanent "$object" "$@"
# Only a reload makes a policy run. podman gives its networks to a zone at run time alone, and
# they would have no way outside without it.
if [ -n "$ingress" ] && ! listed; then
	sources=$(firewall-cmd --get-active-zones | awk '/^[^ ]/ { zone = $1 } $1 == "sources:" { for (i = 2; i <= NF; i++) print zone, $i }')
	quietly --reload
	echo "$sources" | while read -r zone source; do
		[ -z "$zone" ] || quietly --zone="$zone" --add-source="$source"
	done
fi
quietly "$object" "$@"

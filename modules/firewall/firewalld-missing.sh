# Prints those of the rich rules that the zone or policy $1 lacks, in the configuration or in the
# running firewalld.
object=$1
shift
list() {
	said=$(firewall-cmd "$@" "$object" --list-rich-rules 2>&1) && return
	code=$?
	case $said in *INVALID_POLICY*) said= ;; *) echo "$said" >&2 && exit "$code" ;; esac
}
has() { printf '%s\n' "$1" | sed 's/^[[:space:]]*//' | grep -qxF -e "$2"; }

list --permanent
permanent=$said
list
for rule; do
	has "$permanent" "$rule" && has "$said" "$rule" || printf '%s\n' "$rule"
done

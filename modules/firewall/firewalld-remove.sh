# Removes rich rules from the zone or policy $1, and a policy of kinit that has none any more from
# the configuration. A stopped firewalld has its configuration alone.
object=$1
shift
command -v firewall-cmd >/dev/null || exit 0
running=
if [ "$(firewall-cmd --state 2>/dev/null)" = running ]; then running=1; fi
kept() {
	if [ -n "$running" ]; then firewall-cmd --permanent "$@"; else firewall-offline-cmd "$@"; fi
}
# A rule, a zone or a policy that is gone needs no removal.
remove() {
	said=$("$@" 2>&1 >/dev/null) && return
	code=$?
	case $said in *NOT_ENABLED* | *INVALID_ZONE* | *INVALID_POLICY*) return ;; esac
	echo "$said" >&2
	exit "$code"
}

for rule; do
	[ -z "$running" ] || remove firewall-cmd "$object" --remove-rich-rule="$rule"
	remove kept "$object" --remove-rich-rule="$rule"
done
case $object in --policy=kinit-*) ;; *) exit 0 ;; esac
if left=$(kept "$object" --list-rich-rules 2>/dev/null) && [ -z "$left" ]; then
	remove kept --delete-policy="${object#--policy=}"
fi

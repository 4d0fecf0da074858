# Prints what this host has of the clusters of OVN's databases, as JSON: for each database the id of the
# server in its file, or "" if the file is not that of a member, and whether all of them have a leader now.
led=true
for db in nb:OVN_Northbound:northbound sb:OVN_Southbound:southbound; do
	word=${db%%:*}
	name=${db#*:}
	name=${name%%:*}
	file=/var/lib/ovn/ovn${word}_db.db
	control=/run/ovn/ovn${word}_db.ctl
	id=
	if [ -e "$file" ] && ovsdb-tool db-is-clustered "$file" 2>/dev/null; then
		id=$(ovsdb-tool db-sid "$file") || exit 1
	fi
	said=
	[ -z "$id" ] || [ ! -S "$control" ] || said=$(ovn-appctl --timeout=10 -t "$control" cluster/status "$name" 2>/dev/null)
	case $said in
	*"Leader: unknown"*) led=false ;;
	*"Status: cluster member"*) ;;
	*) led=false ;;
	esac
	printf '%s"%s":"%s"' "${comma:-{}" "${db##*:}" "$id"
	comma=,
done
printf ',"led":%s}\n' "$led"

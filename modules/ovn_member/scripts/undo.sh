# undo.sh FILE CONTROL NAME UNIT FOUNDER: takes a member out of its cluster, and makes its database
# standalone again. A second time, nothing is left to do.
set -eu
file=$1 control=$2 name=$3 unit=$4 founder=$5
new=$file.kinit-new prior=$file.kinit-prior

# The other members remove this one. Without a majority that is impossible.
servers() { ovn-appctl --timeout=5 -t "$control" cluster/status "$name" 2>/dev/null | grep -c ' at .*:.*)' || true; }
if [ -S "$control" ] && [ "$(servers)" -gt 1 ]; then
	ovn-appctl --timeout=5 -t "$control" cluster/leave "$name" 2>/dev/null || true
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		ovn-appctl --timeout=5 -t "$control" cluster/status "$name" 2>/dev/null | grep -q '^Status: leaving' || break
		sleep 1
	done
fi
systemctl stop -- "$unit" 2>/dev/null || true

if command -v ovsdb-tool >/dev/null && [ -e "$file" ] && ovsdb-tool db-is-clustered "$file"; then
	rm -f -- "$new"
	if [ -n "$founder" ] && ovsdb-tool cluster-to-standalone "$new" "$file"; then
		chmod --reference="$file" -- "$new"
		chown --reference="$file" -- "$new"
		mv -f -- "$new" "$file"
	elif [ -e "$prior" ]; then
		mv -f -- "$prior" "$file"
	else
		rm -f -- "$file"
	fi
fi
rm -f -- "$new" "$prior" "$prior.part" "$(dirname -- "$file")/.${new##*/}.~lock~"
[ -e "$file" ] || rm -f -- "$(dirname -- "$file")/.${file##*/}.~lock~"

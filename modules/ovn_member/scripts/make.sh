# make.sh FILE PROCESS SCHEMA NAME UNIT ELECTION ADDRESS [JOIN...]: makes FILE the database of a member, of
# what is in it or, with addresses to join, of what others have. What was there stays beside it.
set -eu
file=$1 process=$2 schema=$3 name=$4 unit=$5 election=$6 address=$7
shift 7
new=$file.kinit-new prior=$file.kinit-prior

systemctl stop -- "$unit" || true
if [ -s "$process" ] && [ "$(cat "/proc/$(cat "$process")/comm" 2>/dev/null)" = ovsdb-server ]; then
	echo "a server of this database still runs (process $(cat "$process")): stop it" >&2
	exit 1
fi

mkdir -p -- "$(dirname -- "$file")"
rm -f -- "$new"
if [ $# -gt 0 ]; then
	ovsdb-tool join-cluster "$new" "$name" "$address" "$@"
elif [ -e "$file" ]; then
	ovsdb-tool "--election-timer=$election" create-cluster "$new" "$file" "$address"
else
	ovsdb-tool "--election-timer=$election" create-cluster "$new" "$schema" "$address"
fi
if [ -e "$file" ]; then
	chmod --reference="$file" -- "$new"
	chown --reference="$file" -- "$new"
	if [ ! -e "$prior" ] && ovsdb-tool db-is-standalone "$file"; then
		cp -p -- "$file" "$prior.part"
		mv -f -- "$prior.part" "$prior"
	fi
fi
mv -f -- "$new" "$file"
rm -f -- "$(dirname -- "$file")/.${new##*/}.~lock~"

# state.sh FILE CONTROL NAME: prints what the file of a database is, and what its server says.
file=$1 control=$2 name=$3
if [ ! -e "$file" ]; then
	echo kind=none
elif ovsdb-tool db-is-clustered "$file" 2>/dev/null; then
	echo kind=clustered
	echo "address=$(ovsdb-tool db-local-address "$file")" || exit 1
	echo "server=$(ovsdb-tool db-sid "$file")" || exit 1
	echo "joined=$(ovsdb-tool db-cid "$file" 2>/dev/null || true)" # not known before it has joined
else
	echo kind=standalone
fi
[ ! -S "$control" ] || ovn-appctl --timeout=10 -t "$control" cluster/status "$name" 2>/dev/null || true

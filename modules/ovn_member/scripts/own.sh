# own.sh FILE: prints the names of the logical switches and routers of a standalone northbound database.
set -eu
for table in Logical_Switch Logical_Router; do
	ovsdb-tool query "$1" "[\"OVN_Northbound\",{\"op\":\"select\",\"table\":\"$table\",\"where\":[],\"columns\":[\"name\"]}]" |
		grep -o '"name":"[^"]*"' | sed 's/^"name":"//; s/"$//' || true
done

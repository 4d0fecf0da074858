# Prints the files of a cluster on its hypervisor that have random values, and the record: path and
# content in base64, a line each. Argument: the cluster's folder.
cd "$1" 2>/dev/null || exit 0
find pki ssh windows registry-password registry-nodes registry-http kubernetes-token cluster.json owned/instance.json \
	-type f ! -name '.*' -size -1000k 2>/dev/null | LC_ALL=C sort | while read -r name; do
	printf '%s %s\n' "$name" "$(base64 -w 0 <"$name")" || exit 1
done

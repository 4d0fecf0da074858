# Prints the first file system without space among those that have the paths that follow, or would have them: "space" or "inodes",
# where it is mounted, and in a further line the path.
for path; do
	above=$path
	while [ ! -d "$above" ] && [ "$above" != / ]; do above=$(dirname -- "$above"); done
	for what in space:k inodes:i; do
		df -P"${what#*:}" -- "$above" 2>/dev/null | {
			read -r _
			read -r _ all _ left _ mount && [ "$all" -gt 0 ] && [ "$left" -lt 4 ] && printf '%s %s\n%s\n' "${what%:*}" "$mount" "$path"
		} 2>/dev/null && exit 0
	done
done
exit 0

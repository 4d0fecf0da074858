# Ends the processes that a broken start of a container has left. Reads lines of a container's
# ID and its OCI runtime. No argument of this script contains the ID, because the script
# searches the arguments of other processes for it.

# at_work prints the processes that make, watch or clean up the container. Other processes,
# such as a podman that shows its log, can also have its ID as an argument.
at_work() {
	# shellcheck disable=SC2062 # the pattern is in the input, what follows are files
	for file in $(printf '%s\n' "$id" | grep -lsF -f - /proc/[0-9]*/cmdline); do
		pid=${file#/proc/} pid=${pid%/cmdline}
		name=''
		read -r name <"/proc/$pid/comm" || continue
		case $name in
		podman) grep -qsF cleanup "$file" || continue ;;
		conmon | runc* | crun* | "${runtime##*/}"*) ;;
		*) continue ;;
		esac
		echo "$pid"
	done 2>/dev/null
}

while read -r id runtime; do
	# Processes get five seconds to end by themselves: podman may be taking a network down.
	n=0
	while [ -n "$(at_work)" ] && [ $n -lt 50 ]; do
		n=$((n + 1))
		sleep 0.1
	done
	for pid in $(at_work); do kill -KILL "$pid" 2>/dev/null; done
	[ -z "$runtime" ] || "$runtime" delete --force "$id" >/dev/null 2>&1
done
exit 0

# restart COMMAND: ends a program of the control plane that the kubelet runs, and waits until the
# kubelet has started it again. COMMAND is as the kernel has it, of 15 letters at most. One that has
# not ended after ten seconds is killed: an API server takes no more requests, and waits a minute for
# clients that keep their connections.
running() {
	for process in /proc/[0-9]*; do
		read -r name 2>/dev/null <"$process/comm" || continue
		[ "$name" = "$1" ] && grep -q kubepods "$process/cgroup" 2>/dev/null && echo "${process#/proc/}"
	done
	true
}
before=$(running "$1")
for process in $before; do kill -TERM "$process" 2>/dev/null; done
asked=0
while :; do
	now=$(running "$1")
	again=${now:+yes}
	for process in $now; do
		for old in $before; do [ "$process" != "$old" ] || again=; done
	done
	[ -z "$again" ] || exit 0
	asked=$((asked + 1))
	if [ "$asked" -eq 20 ]; then
		for process in $before; do kill -KILL "$process" 2>/dev/null; done
	fi
	sleep 0.5
done

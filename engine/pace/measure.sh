# Counts, and prints the machine's clock before and after with how far it came: at most 25
# times 2000, and no longer than some 3 seconds. Nothing is started.
measure() {
	read -r begin _ || return 0
	n=0 end=$begin
	while [ "$n" -lt 25 ] && [ $((${end%.*} - ${begin%.*})) -lt 3 ]; do
		i=0
		while [ "$i" -lt 2000 ]; do i=$((i + 1)); done
		n=$((n + 1))
		read -r end _ </proc/uptime
	done
	echo "pace $begin $end $n"
}
[ ! -r /proc/uptime ] || measure </proc/uptime

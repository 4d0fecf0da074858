# answers.sh ADDRESS HYPERVISOR: fails when HYPERVISOR does not answer at its ADDRESS on the
# overlay.
ping -c 1 -W 5 "$1" >/dev/null || {
	echo "$2 does not answer at $1, its address on the overlay: UDP port 6081 must be open both ways between this machine and every hypervisor." >&2
	exit 1
}

# Becomes a worker with the mark $1, whose runner is the shell $2. The function k is kill.sh.
exec 3>&1 4>&2 2>/dev/null
cd || cd /
command -v setsid >/dev/null || { echo "setsid (util-linux or busybox) is missing" >&4; exit 1; }
e() {
	k TERM "$1"
	n=0
	while kill -0 "-$1" && [ $n -lt 20 ]; do sleep 0.1; n=$((n+1)); done
	k KILL "$1"
}
{
	printf %s "$1" >&3
	exec 3>&- 4>&-
	while IFS= read -r l; do
		# shellcheck disable=SC2086 # k gets a signal and a session
		case $l in
		"$1k"*) k ${l#"$1k"} ;;
		"$1e"*) e "${l#"$1e "}" ;;
		"$1s") exec cat ;;
		*) printf '%s\n' "$l" ;;
		esac
	done
} | { "$2" >&3 3>&-; kill -KILL $$; }

# Ends the job in the folder $1, which may be about to start, and removes its files.
attended() {
	read -r pid started <"$1/started" || return 1
	{ read -r s <"/proc/$pid/stat"; } 2>/dev/null || return 1
	# shellcheck disable=SC2086 # fields
	set -- ${s##*) }
	[ "${20}" = "$started" ] && [ "$1" != Z ]
}

[ -d "$1" ] && [ -O "$1" ] || exit 0
tries=0
until [ -s "$1/started" ] || [ "$tries" -ge 30 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
if [ -s "$1/started" ] && attended "$1"; then
	kill -TERM "$pid"
	tries=0
	while attended "$1" && [ "$tries" -lt 80 ]; do
		tries=$((tries + 1))
		sleep 0.1
	done
fi
rm -rf "$1"

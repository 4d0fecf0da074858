# Prints what has become of the job in the folder $1: running, done, late (its time was up),
# lost (nothing attends it any more), gone (there are no files of it) or foreign (another user
# has started it, who may have put anything in place of its files).
ended() {
	[ -f "$1/code" ] || return 1
	if [ -f "$1/late" ]; then echo late; else echo 'done'; fi
}

# attended tests whether the process lives that attends the job.
attended() {
	read -r pid started <"$1/started" || return 1
	{ read -r s <"/proc/$pid/stat"; } 2>/dev/null || return 1
	# shellcheck disable=SC2086 # fields
	set -- ${s##*) }
	[ "${20}" = "$started" ] && [ "$1" != Z ]
}

[ -d "$1" ] || { echo gone && exit; }
[ -O "$1" ] || { echo foreign && exit; }
ended "$1" && exit
# One that is about to start, as far as another connection can see.
[ ! -f "$1/started" ] && [ -n "$(find "$1" -prune -mmin -1)" ] && echo running && exit
attended "$1" && echo running && exit
ended "$1" || echo lost

# One operation on the lock of an owner: $1 is "take", "renew" or "release".
#
#   $2  the folder of the locks of this host
#   $3  the owner, as the name of a folder
#   $4  the run's token; what is behind its last "/" names the run
#   $5  for how long, in hundredths of a second, the lock lives without a renewal
#   $6  the token of a run that has died; "*" takes the lock from anybody
#   $7  /proc, where the host's clock is
#   $8  for how long, in seconds, the host may be away from now on, through a restart too
#
# The folder of an owner has the file "holder", one line of token, boot id, and in
# hundredths of a second since the boot when the lock was taken and when its time is up,
# and then $8. Beside it is "run.NAME", a link to / that is there for as long as the run
# may work: commands look for it, and paths of files that are changed lead through it.
# "ending.NAME" is there from before a run is fenced until its processes have ended: the boot
# id, and the processes that were found. A take that was cut off continues from it.
op=$1 base=$2 owner=$3 token=$4 lifetime=$5 dead=$6 proc=$7 away=$8
run=run.${token##*/}
umask 022

fail() {
	echo "$*" >&2
	exit 1
}

# unmade fails because the path $2 cannot be made or written. A shell does not say that there is no space.
unmade() {
	at=$2
	while [ ! -d "$at" ] && [ "$at" != / ]; do at=$(dirname -- "$at"); done
	for what in space:k inodes:i; do
		df -P"${what#*:}" -- "$at" 2>/dev/null | {
			read -r rest
			read -r rest all rest left rest && [ "$all" -gt 0 ] && [ "$left" -lt 4 ]
		} 2>/dev/null && fail "no ${what%:*} left on this host for $2: free some there, and run kinit again"
	done
	fail "cannot $1 $2"
}

# enter waits until no other process uses the owner's lock. The folder may be removed and
# made again meanwhile.
enter() {
	tries=0
	while :; do
		if ! [ -d "$base/$owner" ]; then
			[ "$op" = take ] || return 1
			mkdir -p "$base/$owner" || unmade make "$base/$owner"
		fi
		if cd "$base/$owner" 2>/dev/null; then
			exec 9<.
			flock -n 9 && [ . -ef "$base/$owner" ] && return 0
		fi
		tries=$((tries + 1))
		[ "$tries" -lt 150 ] || fail "another process looks at the lock $base/$owner and does not end"
		sleep 0.1
	done
}

# clock sets now and boot.
clock() {
	read -r now rest <"$proc/uptime" && read -r boot <"$proc/sys/kernel/random/boot_id" || fail "cannot read the host's clock in $proc"
	now=$((${now%.*} * 100 + 1${now#*.} - 100))
}

# record reads the holder of the lock.
record() {
	holder='' held_boot='' since='' until='' held_away=''
	# shellcheck disable=SC2094 # nothing is written: the file has the name of the variable
	[ -f holder ] && read -r holder held_boot since until held_away <holder && [ -n "$held_away" ]
}

# alive tests whether the holder's lock has not expired. After a restart the time counts for
# which the host may be away. A clock that went back belongs to another start, for example
# of a container.
alive() {
	most=$((held_away * 100))
	if [ "$held_boot" = "$boot" ]; then
		left=$((until - now))
		[ "$most" -gt "$lifetime" ] || most=$lifetime
	else
		left=$((most - now))
	fi
	[ "$left" -gt 0 ] && [ "$left" -le "$most" ]
}

write() {
	until=$((now + lifetime))
	[ "$away" = 0 ] || until=$((now + away * 100))
	if ! { echo "$token $boot $since $until $away" >"new.${run}"; } || ! mv -f "new.${run}" holder; then
		rm -f "new.${run}"
		unmade write "$base/$owner/holder"
	fi
}

# at_work sets work to the processes of the run $1: its shells, its commands and everything
# these have started, and their connections. A process that outlived its command is a
# service and does not count. A process from an earlier call counts as long as it lives,
# since its parent may have ended.
at_work() {
	work=''
	for p in $known; do
		state "${p%:*}" && [ "$started" = "${p#*:}" ] && work="$work ${p%:*}"
	done
	# shellcheck disable=SC2013 # words are lines: these paths have no spaces
	for f in $(grep -slF "KINIT_RUN=$1" /proc/[0-9]*/environ); do
		p=${f#/proc/} p=${p%/environ}
		# The name may be the beginning of another run's.
		marks=$({ tr '\0' '\n' <"$f"; } 2>/dev/null)
		printf '%s\n' "$marks" | grep -qxF "KINIT_RUN=$1" || continue
		marks=$(printf '%s\n' "$marks" | sed -n 's/^KINIT_COMMAND=\(.*\)/ \1 /p; s/^KINIT_WORKER=1$/worker/p')
		state "$p" || continue
		case $marks in
		*" $p "*) ;; # a command
		*' '*) continue ;; # what one has left behind
		*worker*) connection "$parent" ;;
		esac
		case "$work " in *" $p "*) ;; *) work="$work $p" ;; esac
	done
	found=$work passes=0
	while [ -n "$found" ]; do
		found='' passes=$((passes + 1))
		# Processes that keep starting others are stopped, so that the search ends.
		if [ "$passes" -ge 5 ]; then
			storm=1
			# shellcheck disable=SC2086 # a list of numbers
			kill -STOP $work 2>/dev/null
		fi
		[ "$passes" -lt 50 ] || fail "the processes$work of an earlier run keep starting others"
		for f in /proc/[0-9]*/stat; do
			p=${f#/proc/} p=${p%/stat}
			case "$work " in *" $p "*) continue ;; esac
			state "$p" || continue
			case "$work " in *" $parent "* | *" $session "*) found=1 work="$work $p" ;; esac
		done
	done
	known=''
	for p in $work; do
		state "$p" && known="$known $p:$started"
	done
}

# connection adds the SSH server's process of a connection, from the parent of a shell.
connection() {
	above=$1
	while [ "${above:-0}" -gt 1 ] && state "$above"; do
		case $name in sshd*)
			case "$work " in *" $above "*) ;; *) work="$work $above" ;; esac
			return
			;;
		esac
		above=$parent
	done
}

# state reads the state of a process from proc(5), unless it has ended.
state() {
	{ read -r s <"/proc/$1/stat"; } 2>/dev/null || return 1
	name=${s#*\(}
	name=${name%)*}
	# shellcheck disable=SC2086 # fields
	set -- ${s##*) }
	parent=$2 session=$4 started=${20}
	[ "$1" != Z ]
}

# remember writes down the processes of the run $1 before they are ended: after a cut, those
# whose parent has ended are not found again. Numbers of processes count for one boot.
remember() {
	[ "$known" != "$remembered" ] || return 0
	if ! { echo "$boot$known" >"new.ending.$1"; } || ! mv -f "new.ending.$1" "ending.$1"; then
		rm -f "new.ending.$1"
		unmade write "$base/$owner/ending.$1"
	fi
	remembered=$known
}

# end ends the processes of a run, and counts them.
end() {
	known='' remembered='' storm=''
	if read -r at_boot found <"ending.$1" && [ "$at_boot" = "$boot" ]; then known=$found; fi
	at_work "$1"
	rounds=0
	for p in $work; do ended=$((ended + 1)); done
	while [ -n "$work" ]; do
		signal=TERM
		[ "$rounds" -lt 10 ] && [ -z "$storm" ] || signal=KILL
		remember "$1"
		# shellcheck disable=SC2086 # a list of numbers
		kill "-$signal" $work 2>/dev/null
		# They may start more until they have ended, so the search is repeated.
		while :; do
			rounds=$((rounds + 1))
			[ "$rounds" -lt 60 ] || fail "the processes$work of an earlier run do not end"
			left && [ "$rounds" -ne 10 ] || break
			sleep 0.1
		done
		at_work "$1"
	done
}

# left tests whether one of the known processes exists.
left() {
	for p in $known; do
		state "${p%:*}" && [ "$started" = "${p#*:}" ] && return 0
	done
	return 1
}

case $op in
take)
	if ! { [ -w "$base" ] || mkdir -p "$base" && [ -w "$base" ]; } 2>/dev/null; then
		# A user who may not write there has a private folder; for root that is an error.
		user=$(id -u)
		[ "$user" != 0 ] || mkdir -p "$base/$owner" || unmade make "$base/$owner"
		base=/var/tmp/kinit-$user
		mkdir -m 0755 "$base" 2>/dev/null
		[ -d "$base" ] && [ -O "$base" ] && ! [ -L "$base" ] || fail "$base, the folder for locks, belongs to somebody else"
	fi
	enter
	clock
	ended=0 was=-
	if record && [ "$holder" != "$token" ]; then
		if [ "$holder" != "$dead" ] && [ "$dead" != '*' ] && alive; then
			[ "$held_boot" = "$boot" ] || since=$now
			echo "held $holder $((now - since)) $left $until"
			exit 0
		fi
		was=$holder
	fi
	[ "$holder" = "$token" ] && [ "$held_boot" = "$boot" ] || since=$now
	# The earlier runs are fenced, then ended, and then the lock is taken.
	for old in run.*; do
		[ "$old" != "$run" ] && [ -L "$old" ] || continue
		ending=ending.${old#run.}
		[ -f "$ending" ] || true >"$ending" || unmade write "$base/$owner/$ending"
		rm -f "$old" || fail "cannot remove $base/$owner/$old"
	done
	for ending in ending.*; do
		[ -f "$ending" ] || continue
		[ "$ending" = "ending.${run#run.}" ] || end "${ending#ending.}"
		rm -f "$ending" || fail "cannot remove $base/$owner/$ending"
	done
	rm -f new.*
	chmod a+x "${base%/*}" 2>/dev/null # it may have been made private; the lock is for all users
	clock
	write
	[ -L "$run" ] || ln -s / "$run" || unmade make "$base/$owner/$run"
	echo "taken $base $was $ended"
	;;
renew)
	enter || { echo lost; exit 0; }
	clock
	if ! record || [ "$holder" != "$token" ] || ! [ -L "$run" ]; then
		echo "lost $holder"
		exit 0
	fi
	[ "$held_boot" = "$boot" ] || since=$now
	write
	echo renewed
	;;
release)
	enter || exit 0
	if record && [ "$holder" = "$token" ]; then rm -f holder; fi
	rm -f "$run" "new.$run"
	cd / && rmdir "$base/$owner" 2>/dev/null && rmdir "$base" 2>/dev/null && case $base in */kinit/locks) rmdir "${base%/*}" 2>/dev/null ;; esac
	exit 0
	;;
*) fail "$op is no operation on a lock" ;;
esac

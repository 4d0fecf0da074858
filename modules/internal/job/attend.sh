# Runs the program of a job and keeps how it ended: in the folder $1, for at most $2 seconds.
folder=$1 limit=$2
shift 2

# session sends the signal $1 to all processes of the session $2.
session() {
	for f in /proc/[0-9]*/stat; do
		{ read -r s <"$f"; } 2>/dev/null || continue
		p=${f#/proc/}
		# shellcheck disable=SC2086 # fields
		set -- "$1" "$2" ${s##*) }
		[ "$6" = "$2" ] && kill "-$1" "${p%/stat}" 2>/dev/null
	done
}

# since reads from proc(5) when a process was started.
since() { started=${20}; }

# finish asks the program to end, and ends it after five seconds.
finish() {
	session TERM "$child"
	(sleep 5 && session KILL "$child") &
}

exec 3<&0 </dev/null
setsid "$@" <&3 3<&- >"$folder/stdout" 2>"$folder/stderr" &
child=$!
exec 3<&-
asked=''
trap 'asked=1; finish' TERM
trap 'asked=1; : >"$folder/late"; finish' ALRM
# shellcheck disable=SC2016 # of the new shell
setsid sh -c 'sleep "$1"; kill -ALRM "$2"' guard "$limit" $$ >/dev/null 2>&1 &
guard=$!
read -r s <"/proc/$$/stat"
# shellcheck disable=SC2086 # fields
since ${s##*) }
echo "$$ $started" >"$folder/started.part" && mv "$folder/started.part" "$folder/started"
wait "$child"
code=$?
while [ -n "$asked" ] && kill -0 "$child" 2>/dev/null; do # the signal ended the wait
	wait "$child"
	code=$?
done
kill -TERM "-$guard" 2>/dev/null
echo "$code" >"$folder/code.part" && mv "$folder/code.part" "$folder/code"

# Prints what keeps us from changing the paths that follow, or from entering their folders: "i" or "a" for an attribute of the
# file or its folder, then the path; "d" for permissions, then whose they are, and the path in a further line; nothing if it is
# something else.
denied=$1
shift
look() {
	[ -e "$1" ] || [ -L "$1" ] || return 0
	case $(lsattr -d -- "$1" 2>/dev/null) in
	-*i*-*\ *) printf 'i %s\n' "$1"; exit ;;
	-*a*-*\ *) printf 'a %s\n' "$1"; exit ;;
	esac
}
for path; do
	look "$path"
	above=$(dirname -- "$path")
	while [ ! -e "$above" ] && [ "$above" != / ]; do above=$(dirname -- "$above"); done
	look "$above"
done
[ -n "$denied" ] || exit 0
for path; do
	at=/ rest=${path#/}
	while :; do
		[ -x "$at" ] || break
		case $rest in */*) ;; *) break ;; esac
		at=${at%/}/${rest%%/*} rest=${rest#*/}
	done
	[ ! -d "$at" ] || { [ -x "$at" ] && [ -w "$at" ]; } || break
	at=
done
[ -n "$at" ] || exit 0
list=
case $(ls -ld -- "$at") in ??????????+*) list=" with an access control list" ;; esac
printf 'd %s\n%s\n' "$(id -un) $(stat -c '%U:%G %a' -- "$at")$list" "$at"

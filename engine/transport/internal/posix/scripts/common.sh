umask 077
refuse() { printf '%s\n' "$1" >&2; exit 1; }
enter() {
	cd -P -- "$1" 2>/dev/null || { [ -e "$1" ] || [ -L "$1" ] || exit 44; refuse "$2 cannot be entered"; }
	here=$(pwd -P && echo .) && here=${here%??}
	[ "$here" = "$2" ] || refuse "$2 leads through a link that another user can change: name the folder it leads to, which is now $here"
}
down() { enter "./$1" "${here%/}/$1"; }
stage() {
	stage=$1
	mkdir -m 700 -- "./$stage" || exit 1
	trap 'rm -f ./new; cd -P .. && rmdir -- "./$stage" 2>/dev/null' EXIT
	trap 'exit 143' HUP INT TERM
	down "$stage"
	[ -O . ] || refuse "$here was replaced by another user"
	set -C
}
attributes() {
	[ -z "$2" ] || chown -h -- "$2" "$1" || exit 1
	[ -z "$3" ] || chmod -- "$3" "$1" || exit 1
}

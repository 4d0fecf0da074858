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
	trap clean EXIT
	trap 'clean; exit 143' HUP INT TERM
	mkdir -m 700 -- "./$stage" || exit 1
	down "$stage"
	[ -O . ] || refuse "$here was replaced by another user"
	set -C
}
# clean removes the stage, once, and is not kept from it by a signal that comes meanwhile. A
# signal may come anywhere on the way into the stage, and only there the names "new" and "old" are ours.
clean() {
	trap '' HUP INT TERM
	if [ -n "$stage" ] && [ "../$stage" -ef . ]; then
		rm -f ./new ./old
		cd -P .. || true
	fi
	[ -z "$stage" ] || rmdir -- "./$stage" 2>/dev/null
	stage=
}
attributes() {
	[ -z "$2" ] || chown -h -- "$2" "$1" || exit 1
	[ -z "$3" ] || chmod -- "$3" "$1" || exit 1
}

folder=$1 from=$2
shift 2
refuse() { printf '%s\n' "$1" >&2; exit 1; }
cd -P -- "$folder" 2>/dev/null && [ "$PWD" = "$folder" ] || refuse "$folder is no folder, or a link that another user can change"
go() {
	[ "$1" = "$here" ] && return 0
	here=/
	cd -P -- "$folder" 2>/dev/null && [ "$PWD" = "$folder" ] || refuse "$folder is no folder any more"
	at=$folder rest=$1
	while [ -n "$rest" ]; do
		name=${rest%%/*}
		at=$at/$name
		cd -P -- "./$name" 2>/dev/null && [ "$PWD" = "$at" ] || return 1
		case $rest in */*) rest=${rest#*/} ;; *) rest= ;; esac
	done
	here=$1
}
here=
while [ $# -ge 3 ]; do
	what=$1 name=${2##*/} above=
	case $2 in */*) above=${2%/*} ;; esac
	last=$name
	case $what in
	remove) if go "$above"; then rm -f -- "./$last" || exit 1; fi ;;
	rmdir) if go "$above" && [ -d "./$last" ] && [ ! -L "./$last" ]; then rmdir --ignore-fail-on-non-empty -- "./$last" || exit 1; fi ;;
	folder)
		go "$above" || refuse "$folder/$above is no folder, or a link that another user can change"
		mkdir -- "./$last" 2>/dev/null || { [ -d "./$last" ] && [ ! -L "./$last" ]; } || { rm -f -- "./$last" && mkdir -- "./$last"; } || exit 1 ;;
	place)
		go "$above" || refuse "$folder/$above is no folder, or a link that another user can change"
		mv -fT -- "$from/$3" "./$last" || exit 1 ;;
	attributes)
		go "$2" || refuse "$folder/$2 is no folder, or a link that another user can change"
		chown -h -- "${3% *}" . && chmod -- "${3#* }" . || exit 1 ;;
	esac
	shift 3
done

# shellcheck disable=SC2154 # common.sh sets here
owner=$2 mode=$3
enter "$1" "$1"
shift 3
umask 022
for name; do
	[ -L "./$name" ] && refuse "${here%/}/$name is a link in a folder that another user can change: name the folder it leads to"
	mkdir -- "./$name" 2>/dev/null || [ -d "./$name" ] || mkdir -- "./$name" || exit 1
	down "$name"
done
attributes . "$owner" "$mode"

enter "$1" "$1"
[ -e "./$2" ] || [ -L "./$2" ] || exit 44
if [ -d "./$2" ] && [ ! -L "./$2" ]; then
	down "$2"
	attributes . "$4" "$5"
	exit 0
fi
stage "$3"
ln -- "../$2" ./new || exit 1
[ -f ./new ] && [ ! -L ./new ] || refuse "it is a link or a special file in a folder that another user can change"
[ "$(stat -c %h ./new)" = 2 ] || refuse "it has a further name elsewhere (a hard link), which another user may have made"
attributes ./new "$4" "$5"

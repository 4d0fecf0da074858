enter "$1" "$1"
if [ -L "./$2" ]; then
	now=$(readlink -- "./$2" && echo .) && [ "${now%??}" = "$4" ] && exit 0
elif [ -e "./$2" ]; then
	refuse "it is there and is no link: File exists"
fi
stage "$3"
ln -s -- "$4" ./new || exit 1
mv -fT -- ./new "../$2"

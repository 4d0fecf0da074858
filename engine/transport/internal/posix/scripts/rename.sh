enter "$1" "$1"
[ -e "./$2" ] || [ -L "./$2" ] || exit 44
device=$(stat -c %d .) && exec 4<. || exit 1
enter "$3" "$3"
if [ "$(stat -c %d .)" = "$device" ]; then
	exec mv -fT -- "/proc/self/fd/4/$2" "./$4"
fi
stage "$5"
cp -p --no-dereference -- "/proc/self/fd/4/$2" ./new || exit 1
sync ./new
mv -fT -- ./new "../$4" && rm -f -- "/proc/self/fd/4/$2"

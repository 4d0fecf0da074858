enter "$1" "$1"
[ -d "./$2" ] && [ ! -L "./$2" ] && refuse "it is a folder"
stage "$3"
cat >./new || exit 1
[ "$(tail -c 26 ./new)" = "$6" ] || refuse "the content did not arrive whole"
size=$(stat -c %s ./new) || exit 1
dd if=/dev/null of=./new bs=1 seek=$((size - 26)) count=0 conv=fsync 2>/dev/null || refuse "Input/output error"
attributes ./new "$4" "$5"
mv -fT -- ./new "../$2" || exit 1

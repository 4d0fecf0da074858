# Another user or program may have filled the folder meanwhile: then it stays as it is.
enter "$1" "$1"
rmdir -- "./$2" 2>/dev/null || exit 0
umask 022
mkdir -- "./$2"

command -v setsid >/dev/null || { echo "setsid (util-linux or busybox) is missing" >&2; exit 1; }
exec 4>&2 2>/dev/null
cd || cd /
(exec setsid /bin/sh -c "$1" /bin/sh "$2" "$3" 2>&4 4>&-)
exit $?

# Fails when the file system of folder $1 has fewer than $2 GiB free.
free=$(df --output=avail --block-size=1G "$1" 2>/dev/null | tail -n 1 | tr -d ' ')
[ -n "$free" ] || exit 0
[ "$free" -ge "$2" ] && exit 0
echo "$1 has $free GiB free and the nodes need at least $2 GiB. Make room, or lower the variable least_room_gib." >&2
exit 1

# Whether there are $1 GiB of room where each of the other arguments is, or will be.
least=$1
shift
level=ok seen=
for folder; do
	place=$folder
	while ! [ -d "$place" ]; do place=$(dirname "$place"); done
	free=$(df --output=avail --block-size=1G "$place" | tail -n 1 | tr -d ' ')
	[ "$free" -ge "$least" ] || level=fail
	seen="$seen${seen:+, }$free GiB free for $folder"
done
[ "$level" = ok ] || seen="$seen; $least GiB are needed"
echo "$level $seen"

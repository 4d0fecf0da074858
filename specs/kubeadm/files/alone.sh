# Fails if this node is not a controller yet, and the API of its cluster answers all the same.
# Arguments: a file that controllers have, the address to ask.
test -e "$1" && exit 0
command -v curl >/dev/null || exit 0
if [ "$(curl --insecure --silent --output /dev/null --write-out '%{http_code}' --max-time 5 "$2")" = 200 ]; then
	echo "The API of the cluster answers at $2, and this node, its first controller, does not have $1." >&2
	exit 1
fi

# reload.sh check|reload CONTAINER SIGNAL LOADED TEST COMMAND...
# A service reads its configuration again without losing a connection or a question. COMMAND prints
# which configuration it works by, and LOADED is what it prints when it has read the files as they are,
# or file: and the path of a file with that.
# check fails unless that is so; reload sends SIGNAL if the service's own TEST accepts the files. A
# service that does not know the signal starts again.
set -eu
verb=$1 container=$2 signal=$3 loaded=$4 test=$5
shift 5
case $loaded in
file:*) loaded=$(cat "${loaded#file:}" 2>/dev/null) || exit 1 ;;
esac

# taken COMMAND...: whether the service works by the files.
taken() { [ "$("$@" 2>/dev/null | tr -d '"')" = "$loaded" ]; }

taken "$@" && exit 0
[ "$verb" = reload ] || exit 1
podman exec "$container" sh -c "$test" || {
	echo "$container does not accept its new configuration and goes on with the one that it has." >&2
	exit 1
}
podman kill --signal "$signal" "$container" >/dev/null
for _ in $(seq 50); do
	taken "$@" && exit 0
	sleep 0.2
done
echo "$container does not read its configuration again at the signal $signal: it starts again"
podman restart "$container" >/dev/null

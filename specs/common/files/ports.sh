# Fails for each of the ports that something else than the pod $1 listens on.
pod=$1
shift
podman pod exists "$pod" && exit 0
used=
for port; do
	listener=$(ss -Hltnp "sport = :$port" | head -n 1)
	[ -z "$listener" ] || used="$used $port"
done
[ -z "$used" ] && exit 0
echo "port in use:$used. Stop what listens there (ss -ltnp tells), or give the cluster other ports by the variable published_ports." >&2
exit 1

# elsewhere.sh POD CLUSTER HERE CHOSEN: fails when this hypervisor, HERE, runs the services POD
# that is to be on the hypervisor CHOSEN: a second one would have its address.
set -eu
command -v podman >/dev/null 2>&1 || exit 0
podman pod exists "$1" || exit 0
echo "The services of cluster $2 run on $3, not on $4, and kinit does not move them yet. Give --set services.hypervisor=$3, or remove the cluster first." >&2
exit 1

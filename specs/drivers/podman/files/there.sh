# Lists the containers of all clusters on this hypervisor, and the mark of whose each is.
command -v podman >/dev/null || exit 0
podman ps --all --filter label=kinit.owner --format '{{.Names}} {{index .Labels "kinit.owner"}}'

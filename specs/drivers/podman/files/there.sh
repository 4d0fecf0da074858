# Lists the containers of all clusters on this hypervisor that are nodes, and the mark of whose each is. Those of the
# services are in a pod.
command -v podman >/dev/null || exit 0
podman ps --all --filter label=kinit.owner --format '{{if not .Pod}}{{.Names}} {{index .Labels "kinit.owner"}}{{end}}'

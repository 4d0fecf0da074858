# pod-cidrs.sh check|set [NODE SUBNET]...
# check fails when a node's spec.podCIDR is not the subnet of its pods, or the cluster has no such
# node; set writes it. Kubernetes lets it be written once. KUBECONFIG says which cluster.
set -eu
verb=$1
shift
lacking=0
have=$(kubectl get nodes --output go-template='{{range .items}}{{.metadata.name}} {{with .spec.podCIDR}}{{.}}{{end}}
{{end}}')
while [ $# -gt 0 ]; do
	node=$1 subnet=$2
	shift 2
	line=$(printf '%s\n' "$have" | grep "^$node ") || { echo "the cluster has no node $node" >&2; exit 1; }
	has=${line#* }
	[ "$has" != "$subnet" ] || continue
	lacking=1
	[ "$verb" = set ] || { echo "$node: podCIDR is \"$has\", not $subnet"; continue; }
	[ -z "$has" ] || {
		echo "$node has joined with the podCIDR $has, and its pods now have $subnet: pod_network and networks cannot change on a running cluster; --recreate rebuilds it" >&2
		exit 1
	}
	kubectl patch node "$node" --type merge --patch "{\"spec\":{\"podCIDR\":\"$subnet\",\"podCIDRs\":[\"$subnet\"]}}"
done
[ "$verb" = set ] || exit "$lacking"

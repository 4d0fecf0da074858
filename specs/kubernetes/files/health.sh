# health PLACE SECONDS: what the API server says of nodes and of the control plane's pods, in fields that
# tabs part. PLACE has kubectl and a kubeconfig; without them there is no cluster yet. The server has SECONDS
# for each answer.
#
#   node NAME VERSION RUNTIME SYSTEM unschedulable|- READY REASON
#   pod NAME NODE IMAGE READY
#   error WHY
place=$1 seconds=$2
[ -e "$place/kubectl" ] && [ -e "$place/kubeconfig" ] || exit 0
ask() {
	said=$("$place/kubectl" --kubeconfig "$place/kubeconfig" --request-timeout "${seconds}s" get "$@" 2>&1) ||
		said=$(printf 'error\t%s' "$(printf '%s\n' "$said" | tail -n 1)")
	[ -z "$said" ] || printf '%s\n' "$said"
}
ask pods --namespace kube-system --selector tier=control-plane --output 'go-template={{range .items}}pod{{"\t"}}{{.metadata.name}}{{"\t"}}{{.spec.nodeName}}{{range .status.containerStatuses}}{{"\t"}}{{.image}}{{"\t"}}{{.ready}}{{end}}{{"\n"}}{{end}}' &
ask nodes --output 'go-template={{range .items}}node{{"\t"}}{{.metadata.name}}{{"\t"}}{{.status.nodeInfo.kubeletVersion}}{{"\t"}}{{.status.nodeInfo.containerRuntimeVersion}}{{"\t"}}{{.status.nodeInfo.osImage}}{{"\t"}}{{if .spec.unschedulable}}unschedulable{{else}}-{{end}}{{range .status.conditions}}{{if eq .type "Ready"}}{{"\t"}}{{.status}}{{"\t"}}{{.reason}}{{end}}{{end}}{{"\n"}}{{end}}'
wait

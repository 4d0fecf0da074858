# node-settings.sh check|apply [NODE LABELS TAINTS KEPT]...
# check fails when a node lacks a label or taint, or has one that kinit gave it and that is no
# longer wanted; apply gives and takes them. LABELS are KEY=VALUE and TAINTS KEY=VALUE:EFFECT,
# with blanks between; KUBECONFIG says which cluster. What kinit has given is in an annotation of the node; others stay.
# KEPT is the taint that keeps workloads off a controller, or empty where a node takes them.
set -eu
verb=$1
shift
lacking=0
kubeadms="node-role.kubernetes.io/control-plane=:NoSchedule" # what kubeadm gives to controllers

# One client asks for all nodes.
# shellcheck disable=SC2016 # a template of Go
have=$(kubectl get nodes --output go-template='{{range .items}}{{.metadata.name}}|{{range $k, $v := .metadata.labels}} {{$k}}={{$v}}{{end}} |{{range .spec.taints}} {{.key}}={{with .value}}{{.}}{{end}}:{{.effect}}{{end}} |{{with .metadata.annotations}}{{with index . "kinit/labels"}}{{.}}{{end}}{{end}}|{{with .metadata.annotations}}{{with index . "kinit/taints"}}{{.}}{{end}}{{end}}
{{end}}')

# without ALL SOME: the words of ALL that are not among SOME.
without() {
	for word in $1; do
		case " $2 " in *" $word "*) ;; *) printf '%s ' "$word" ;; esac
	done
}

# keys WORD...: the labels' names.
keys() { for word; do printf '%s ' "${word%%=*}"; done; }

while [ $# -gt 0 ]; do
	node=$1 labels=$2 taints=$3 kept=$4
	shift 4
	line=$(printf '%s\n' "$have" | grep "^$node|") || { echo "the cluster has no node $node" >&2; exit 1; }
	IFS='|' read -r _ has_labels has_taints given_labels given_taints <<-end
		$line
	end
	add_labels=$(without "$labels" "$has_labels")
	add_taints=$(without "$taints $kept" "$has_taints")
	# shellcheck disable=SC2086 # a list of words
	drop_labels=$(without "$(keys $given_labels)" "$(keys $labels)")
	others=$(without "$has_taints" "$given_taints $kubeadms")
	drop_taints=$(without "$has_taints" "$others $taints $kept")
	if [ "$labels|$taints" = "$given_labels|$given_taints" ] && [ -z "$add_labels$add_taints$drop_taints" ]; then
		continue
	fi
	lacking=1
	[ "$verb" = apply ] || { echo "$node: give $add_labels$add_taints, take $drop_labels$drop_taints"; continue; }
	# What is to be taken away is known by the annotation until it is gone.
	# shellcheck disable=SC2046,SC2086 # lists of words
	if [ -n "$add_labels$drop_labels" ]; then
		kubectl label --overwrite nodes "$node" $add_labels $(for key in $drop_labels; do echo "$key-"; done)
	fi
	for taint in $drop_taints; do
		kubectl taint nodes "$node" "${taint%%=*}:${taint##*:}-"
	done
	# shellcheck disable=SC2086 # a list of words
	[ -z "$add_taints" ] || kubectl taint --overwrite nodes "$node" $add_taints
	kubectl annotate --overwrite nodes "$node" "kinit/labels=$labels" "kinit/taints=$taints"
done
[ "$verb" = apply ] || exit "$lacking"

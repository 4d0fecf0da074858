# taken.sh CLUSTER FOLDER: fails when this machine is a node of another cluster than CLUSTER,
# whose folder is FOLDER.
for other in /var/lib/kinit/clusters/*/leave.sh; do
	[ -e "$other" ] || continue
	name=$(basename "$(dirname "$other")")
	[ "$name" = "$1" ] && continue
	echo "this machine is a node of the cluster \"$name\". Clean that cluster up first, or name another machine." >&2
	exit 1
done
[ ! -e /etc/kubernetes/kubelet.conf ] || [ -e "$2/leave.sh" ] || {
	echo "this machine is a node of a Kubernetes cluster that kinit did not make (/etc/kubernetes/kubelet.conf). Reset it with \"kubeadm reset\" if nothing needs it, or name another machine." >&2
	exit 1
}
for name in k3s rke2; do
	[ ! -e "/var/lib/rancher/$name" ] || [ -e "$2/leave.sh" ] || {
		echo "this machine is a node of a Kubernetes cluster that kinit did not make (/var/lib/rancher/$name). Run $name-uninstall.sh if nothing needs it, or name another machine." >&2
		exit 1
	}
done

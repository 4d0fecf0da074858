# moved.sh FOLDER DEVICE on|beside: fails when this machine is a node of the cluster, whose
# folder is FOLDER, and not where it is wanted: on the overlay, where it has DEVICE, or
# beside it. A node keeps the address with which it joined.
[ -e "$1/leave.sh" ] && [ ! -e "$1/left" ] && [ -e /etc/kubernetes/kubelet.conf ] || exit 0
there=beside
[ ! -e "/sys/class/net/$2" ] || there=on
[ "$there" = "$3" ] || {
	echo "this machine is a node of the cluster with its address $there the overlay, and is wanted $3 it. Clean the cluster up first, or leave the pool's overlay as it was." >&2
	exit 1
}

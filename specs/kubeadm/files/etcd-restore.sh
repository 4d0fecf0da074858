# Makes the data of a node's etcd from a snapshot, as those of a new etcd with this node as its only
# member. Runs etcdutl from the image of etcd, so that nothing is installed.
# Arguments: the snapshot, the node's name, its address, kubeadm's configuration.
set -eu
snapshot=$1 name=$2 address=$3 config=$4
folder=${snapshot%/*}
container=kinit-etcd-restore

image=$(kubeadm config images list --config "$config" 2>/dev/null | grep '/etcd:')
kubeadm config images pull --config "$config" >/dev/null

# What an interrupted restore has left.
ctr --namespace k8s.io tasks kill --signal KILL "$container" 2>/dev/null || true
ctr --namespace k8s.io tasks delete --force "$container" >/dev/null 2>&1 || true
ctr --namespace k8s.io containers delete "$container" >/dev/null 2>&1 || true
rm -rf "$folder/etcd" /var/lib/etcd

etcdutl() {
	ctr --namespace k8s.io run --rm --mount "type=bind,src=$folder,dst=$folder,options=rbind:rw" "$image" "$container" etcdutl "$@"
}

# A client that watches the API continues from its last revision. Revisions that are higher than all earlier ones,
# which are compacted, make it list everything again instead of waiting for a revision that comes late.
set --
if etcdutl snapshot restore --help 2>&1 | grep -q -e --bump-revision; then set -- --bump-revision 1000000000 --mark-compacted; fi
etcdutl snapshot restore "$snapshot" --data-dir "$folder/etcd" --name "$name" --initial-cluster "$name=https://$address:2380" \
	--initial-advertise-peer-urls "https://$address:2380" "$@"
mv "$folder/etcd" /var/lib/etcd
chmod 0700 /var/lib/etcd

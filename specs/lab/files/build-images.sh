#!/bin/sh
# Builds the container images that a kubeadm cluster with flannel pulls, from the
# programs that build-kubernetes.sh or build-downloaded.sh made, under the names of the real ones.
#
#   [PROGRAMS=FOLDER] build-images.sh OUTPUT_DIR
#
# PROGRAMS holds the programs, as programs.sh says; without it they are in OUTPUT_DIR and
# built where they are missing.
#
# Result: OUTPUT_DIR/images, an OCI layout, and in it images.txt, a name a line:
#   skopeo copy oci:OUTPUT_DIR/images:NAME docker://REGISTRY/…
# Images share layers (all of Kubernetes is one where it was built), so few bytes are copied twice.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/base.sh"
. "$here/programs.sh"
. "$here/pins.sh"

need mmdebstrap mmdebstrap
need zstd zstd
need gcc gcc
sources=${KUBERNETES_SOURCES:-$here/kubernetes}
begin "${1:-}"
programs=${PROGRAMS:-$out}
if [ "$programs" = "$out" ]; then
	sh "$here/build-kubernetes.sh" "$out"
fi
servers="kube-apiserver kube-controller-manager kube-scheduler kube-proxy"
all="kubeadm $servers etcd etcdutl coredns flanneld flannel-cni"
missing=$(programs_missing "$programs" $all)
[ -z "$missing" ] || die "$missing is missing: build it first"
settings="$(pinned flannel image) $(pinned flannel_cni_plugin image) ${FLANNEL_CNI_TAG:=$(pinned flannel_cni_plugin version)} $(pinned busybox image) $(programs_digest "$programs" $all)"
unless_made images "$(made_of "$here/base.sh" "$here/programs.sh" "$here/pins.sh" "$sources/pause/pause.c")"
layout=$work/images
oci_begin

say "base layer: busybox and iptables"
busybox_base "$work/base" busybox-static,iptables,nftables,conntrack,kmod,base-files

# layer NAME SOURCE DESTINATION [LINK...]: a layer of one program and links to it.
layer() {
	mkdir -p "$work/layer/$(dirname "$3")" "$work/layer/tmp"
	chmod 1777 "$work/layer/tmp"
	install -m 755 "$2" "$work/layer/$3"
	layer_name=$1 layer_dir=$work/layer/$(dirname "$3") layer_file=${3##*/}
	shift 3
	for layer_link in "$@"; do ln -s "$layer_file" "$layer_dir/$layer_link"; done
	oci_layer "$layer_name" "$work/layer"
	rm -rf "$work/layer"
}

say "layers of programs"
gcc -Os -static -s -o "$work/pause" "$sources/pause/pause.c"
layer pause "$work/pause" pause
if programs_are_one "$programs"; then
	layer kubernetes "$programs/kubernetes" usr/local/bin/kubernetes $servers kubectl kubeadm kubelet
else
	for server in $servers; do layer "$server" "$programs/$server" "usr/local/bin/$server"; done
fi
# server_layer NAME: the layer that has the program.
server_layer() { if programs_are_one "$programs"; then echo kubernetes; else echo "$1"; fi; }
layer etcd "$programs/etcd" usr/local/bin/etcd
layer etcdutl "$programs/etcdutl" usr/local/bin/etcdutl
layer coredns "$programs/coredns" coredns
layer flannel "$programs/flanneld" opt/bin/flanneld
layer flannel-cni "$programs/flannel-cni" flannel

image() {
	oci_image "$@"
	echo "$1" >>"$layout/images.txt"
	say "$1"
}
path='"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'

# kubeadm itself knows which images its version wants.
ln -s "$(program_file "$(cd "$programs" && pwd)" kubeadm)" "$work/kubeadm"
version=$("$work/kubeadm" version -o short)
"$work/kubeadm" config images list --kubernetes-version "$version" >"$work/wanted"
while read -r name; do
	case "$name" in
	*/kube-proxy:*) image "$name" "{$path,\"Entrypoint\":[\"kube-proxy\"]}" base "$(server_layer kube-proxy)" ;;
	*/kube-*)
		program=${name##*/}
		program=${program%:*}
		image "$name" "{$path,\"Entrypoint\":[\"$program\"]}" "$(server_layer "$program")"
		;;
	*/coredns:*)
		image "$name" "{$path,\"Entrypoint\":[\"/coredns\"]}" coredns
		wanted=${name##*:}
		"$programs/coredns" -version | grep -q "CoreDNS-${wanted#v}\$" || die "kubeadm wants $name and the program is $("$programs/coredns" -version | head -n 1)"
		;;
	*/etcd:*)
		image "$name" "{$path,\"Entrypoint\":[\"etcd\"]}" etcd etcdutl
		wanted=${name##*:}
		"$programs/etcd" --version | grep -q "Version: ${wanted%-*}\$" || die "kubeadm wants $name and the program is $("$programs/etcd" --version | head -n 1)"
		;;
	*/pause:*) image "$name" '{"User":"65535:65535","Entrypoint":["/pause"]}' pause ;;
	*) die "kubeadm wants $name, which this script does not know" ;;
	esac
done <"$work/wanted"

image "$(pinned flannel image):$("$programs/flanneld" --version 2>&1)" "{$path,\"Entrypoint\":[\"/opt/bin/flanneld\"]}" base flannel
image "$(pinned flannel_cni_plugin image):$FLANNEL_CNI_TAG" "{$path}" base flannel-cni
# The sample workload: httpd, wget and nslookup. Its tag is the version of Debian's busybox.
busybox=$("$base/bin/busybox" 2>&1 | sed -n '1s/^BusyBox v\([0-9]*\.[0-9]*\).*/\1/p')
[ -n "$busybox" ] || die "Debian's busybox does not say its version"
image "$(pinned busybox image):$busybox" "{$path,\"Cmd\":[\"sh\"]}" base
oci_end
finish images

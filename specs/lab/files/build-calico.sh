#!/bin/sh
# Builds Calico's programs from their Go module, and the images of them that clusters with
# pod_network = "calico-vxlan" pull: without BGP, which VXLAN does not need, and without eBPF,
# which takes cgo.
#
#   build-calico.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/calico with
#   images, images/images.txt    an OCI layout, and the names in it, one a line
#   manifests                    crds.yaml and calico-vxlan.yaml of the same module
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/base.sh"
. "$here/pins.sh"

# Tags of Calico are no versions of a Go module, so a commit names the release; its own module of
# types is a folder there, and a module elsewhere.
calico=github.com/projectcalico/calico@v1.11.0-cni-plugin.0.20250813170300-a0db560f0520
types=github.com/projectcalico/api@v0.0.0-20240708202104-e3f70b269c2c

need go golang-go
need mmdebstrap mmdebstrap
need zstd zstd
begin "${1:-}"
release=$(pinned calico_node version)
settings="$calico $types $release ${MIRROR:-}"
unless_made calico "$(made_of "$here/base.sh" "$here/pins.sh")"
layout=$work/calico/images
mkdir -p "$layout" "$work/calico/manifests" "$work/bin"
oci_begin

say "base layer: busybox, iptables, ipset and runit"
busybox_base "$work/base" busybox-static,iptables,nftables,conntrack,kmod,ipset,iproute2,runit,base-files

say "modules"
CGO_ENABLED=0 GOWORK=off GOFLAGS='-mod=mod -trimpath -buildvcs=false'
export CGO_ENABLED GOWORK GOFLAGS
cp -r "$(cd "$work" && go mod download -json "$calico" | sed -n 's/^	"Dir": "\(.*\)",$/\1/p')" "$work/src"
chmod -R u+w "$work/src"
cp "$work/src/manifests/crds.yaml" "$work/src/manifests/calico-vxlan.yaml" "$work/calico/manifests/"
for pin in calico_node calico_cni calico_kube_controllers; do
	grep -qF "image: $(pinned "$pin" image):$release" "$work/calico/manifests/calico-vxlan.yaml" ||
		die "the manifest of $calico does not ask for $(pinned "$pin" image):$release"
done
cd "$work/src"
go mod edit -replace "github.com/projectcalico/api=$types"
say "programs"
go build -ldflags "-s -w" -o "$work/bin/" ./node/cmd/calico-node ./cni-plugin/cmd/calico ./cni-plugin/cmd/install \
	./kube-controllers/cmd/kube-controllers ./kube-controllers/cmd/check-status

say "images"
root=$work/layer
# layer NAME: the layer of what is in the folder, which is empty then.
layer() {
	mkdir -p "$root/tmp"
	chmod 1777 "$root/tmp"
	oci_layer "$1" "$root"
	rm -rf "$root"
}
mkdir -p "$root/bin" "$root/usr/bin"
ln -s /bin/busybox "$root/usr/bin/which" # start_runit calls it by this path
cp -r node/filesystem/. "$root/"
chmod +x "$root"/etc/rc.local "$root"/sbin/*
find "$root/etc/service" -name run -exec chmod +x {} +
cp "$work/bin/calico-node" "$root/bin/"
layer node
mkdir -p "$root/opt/cni/bin"
cp "$work/bin/calico" "$work/bin/install" "$root/opt/cni/bin/"
ln "$root/opt/cni/bin/calico" "$root/opt/cni/bin/calico-ipam"
layer cni
mkdir -p "$root/usr/bin"
cp "$work/bin/kube-controllers" "$work/bin/check-status" "$root/usr/bin/"
layer kube-controllers

path='"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'
image() {
	oci_image "$1:$release" "$2" base "$3"
	echo "$1:$release" >>"$layout/images.txt"
	say "$1:$release"
}
image "$(pinned calico_node image)" "{$path,\"Cmd\":[\"start_runit\"]}" node
image "$(pinned calico_cni image)" "{$path,\"WorkingDir\":\"/opt/cni/bin\",\"Cmd\":[\"/opt/cni/bin/install\"]}" cni
image "$(pinned calico_kube_controllers image)" "{$path,\"Entrypoint\":[\"/usr/bin/kube-controllers\"]}" kube-controllers
oci_end
finish calico

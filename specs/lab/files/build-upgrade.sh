#!/bin/sh
# Builds a second version of Kubernetes for tests of upgrades: THE SAME SOURCES as those of
# build-kubernetes.sh, stamped with the next patch version. Nothing but the number differs, so an
# upgrade to it shows how versions roll, and not what a new version brings.
#
#   build-upgrade.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/upgrade with
#   version             the number
#   VERSION/            bin/linux/amd64/PROGRAM and PROGRAM.sha256, as the release site has them
#   images/             the four images of the version, an OCI layout, and their names in images.txt
#
# The programs are linked anew, and compiled only where Go's build cache does not have them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/modules.sh"

need go golang
need zstd zstd
begin "${1:-}"
base=$out/images
[ -f "$base/images.txt" ] || die "images is missing: build it first"
settings="$(go version) $(cat "$out/images.inputs")"
unless_made upgrade "$(made_of "$here/modules.sh" "$sources"/go.*.txt "$sources/kubernetes/main.go.txt")"
modules_begin
is=$version
next=${is%.*}.$((${is##*.} + 1))
flags=$(printf '%s' "$flags" | sed "s/gitVersion=$is/gitVersion=$next/g; s/gitCommit=[^ ]*/gitCommit=the-sources-of-$is/g")
say "the sources of Kubernetes $is, stamped $next"
modules_build kubernetes

cd "$work"
site=upgrade/$next/bin/linux/amd64
mkdir -p "$site"
mv kubernetes "$site/kubeadm"
[ "$("$site/kubeadm" version -o short)" = "$next" ] || die "the program says another version than $next"
sum=$(sha256sum "$site/kubeadm" | cut -d ' ' -f 1)
for program in kubelet kubectl; do ln "$site/kubeadm" "$site/$program"; done
for program in kubeadm kubelet kubectl; do printf '%s' "$sum" >"$site/$program.sha256"; done
echo "$next" >upgrade/version

# The images of the version. That of kube-proxy keeps the layer below its program.
layout=$work/upgrade/images
oci_begin
# blob DIGEST: a file of the other version's layout.
blob() { cat "$base/blobs/sha256/$1"; }
manifest=$(sed 's/},{/}\n{/g' "$base/index.json" | sed -n "/\/kube-proxy:$is\"/s/.*\"digest\":\"sha256:\([0-9a-f]*\)\".*/\1/p")
below=$(blob "$manifest" | sed -n 's/.*"layers":\[{"mediaType":"[^"]*","digest":"sha256:\([0-9a-f]*\)","size":[0-9]*},.*/\1/p')
config=$(blob "$manifest" | sed -n 's/.*"config":{"mediaType":"[^"]*","digest":"sha256:\([0-9a-f]*\)".*/\1/p')
[ -f "$base/blobs/sha256/$below" ] || die "the image of kube-proxy $is has no layer below its program"
ln "$base/blobs/sha256/$below" "$layout/blobs/sha256/" 2>/dev/null || cp "$base/blobs/sha256/$below" "$layout/blobs/sha256/"
echo "$below" >"$layout/.list/base.blob"
stat -c %s "$base/blobs/sha256/$below" >"$layout/.list/base.size"
blob "$config" | sed -n 's/.*"diff_ids":\["sha256:\([0-9a-f]*\)".*/\1/p' >"$layout/.list/base.diff"

servers="kube-apiserver kube-controller-manager kube-scheduler kube-proxy"
layer=$work/layer/usr/local/bin
mkdir -p "$layer" "$work/layer/tmp"
chmod 1777 "$work/layer/tmp"
install -m 755 "$site/kubeadm" "$layer/kubernetes"
for name in $servers kubectl kubeadm kubelet; do ln -s kubernetes "$layer/$name"; done
oci_layer kubernetes "$work/layer"

path='"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'
for server in $servers; do
	name=$(grep "/$server:$is\$" "$base/images.txt") || die "images has no $server of $is"
	name=${name%:*}:$next
	case "$server" in
	kube-proxy) oci_image "$name" "{$path,\"Entrypoint\":[\"$server\"]}" base kubernetes ;;
	*) oci_image "$name" "{$path,\"Entrypoint\":[\"$server\"]}" kubernetes ;;
	esac
	echo "$name" >>"$layout/images.txt"
done
oci_end
finish upgrade

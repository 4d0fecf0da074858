# A second version of Kubernetes, in the layouts in which clusters fetch it. Sourced by the scripts that
# build one, after modules.sh and oci.sh.

servers="kube-apiserver kube-controller-manager kube-scheduler kube-proxy"
path='"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"]'

# version_begin OUTPUT_DIR: begin, on top of the images of the other version, which have to be there.
version_begin() {
	need go golang
	need zstd zstd
	begin "$1"
	base=$out/images
	[ -f "$base/images.txt" ] || die "images is missing: build it first"
	settings="$(go version) $(cat "$out/images.inputs")"
}

# version_site FOLDER VERSION: the programs, from the work folder's kubernetes, as the release site has them.
version_site() {
	site=$1/$2/bin/linux/amd64
	mkdir -p "$site"
	mv kubernetes "$site/kubeadm"
	[ "$("$site/kubeadm" version -o short)" = "$2" ] || die "the program says another version than $2"
	sum=$(sha256sum "$site/kubeadm" | cut -d ' ' -f 1)
	for program in kubelet kubectl; do ln "$site/kubeadm" "$site/$program"; done
	for program in kubeadm kubelet kubectl; do printf '%s' "$sum" >"$site/$program.sha256"; done
	echo "$2" >"$1/version"
}

# blob DIGEST: a file of the other version's layout.
blob() { cat "$base/blobs/sha256/$1"; }

# version_images OLD NEW: the images that the new kubeadm wants and the other version's layout does not have, into the layout
# that oci_begin has begun. That of kube-proxy keeps the layer below its program. etcd and CoreDNS are in the work
# folder, if there are new ones.
version_images() {
	manifest=$(sed 's/},{/}\n{/g' "$base/index.json" | sed -n "/\/kube-proxy:$1\"/s/.*\"digest\":\"sha256:\([0-9a-f]*\)\".*/\1/p")
	below=$(blob "$manifest" | sed -n 's/.*"layers":\[{"mediaType":"[^"]*","digest":"sha256:\([0-9a-f]*\)","size":[0-9]*},.*/\1/p')
	config=$(blob "$manifest" | sed -n 's/.*"config":{"mediaType":"[^"]*","digest":"sha256:\([0-9a-f]*\)".*/\1/p')
	[ -f "$base/blobs/sha256/$below" ] || die "the image of kube-proxy $1 has no layer below its program"
	ln "$base/blobs/sha256/$below" "$layout/blobs/sha256/" 2>/dev/null || cp "$base/blobs/sha256/$below" "$layout/blobs/sha256/"
	echo "$below" >"$layout/.list/base.blob"
	stat -c %s "$base/blobs/sha256/$below" >"$layout/.list/base.size"
	blob "$config" | sed -n 's/.*"diff_ids":\["sha256:\([0-9a-f]*\)".*/\1/p' >"$layout/.list/base.diff"

	version_layer kubernetes "$site/kubeadm" usr/local/bin/kubernetes
	"$site/kubeadm" config images list --kubernetes-version "$2" >"$work/wanted"
	while read -r name; do
		! grep -qxF "$name" "$base/images.txt" || continue
		program=${name##*/}
		program=${program%:*}
		case "$program" in
		kube-proxy) oci_image "$name" "{$path,\"Entrypoint\":[\"$program\"]}" base kubernetes ;;
		kube-*) oci_image "$name" "{$path,\"Entrypoint\":[\"$program\"]}" kubernetes ;;
		etcd)
			version_layer etcd etcd usr/local/bin/etcd
			version_layer etcdutl etcdutl usr/local/bin/etcdutl
			oci_image "$name" "{$path,\"Entrypoint\":[\"etcd\"]}" etcd etcdutl
			;;
		coredns)
			version_layer coredns coredns coredns
			oci_image "$name" "{$path,\"Entrypoint\":[\"/coredns\"]}" coredns
			;;
		*) die "kubeadm $2 wants $name, which this script does not make" ;;
		esac
		echo "$name" >>"$layout/images.txt"
		say "$name"
	done <"$work/wanted"
}

# version_layer NAME PROGRAM DESTINATION: a layer of one program. That of Kubernetes has a link for each of its names.
version_layer() {
	mkdir -p "$work/layer/$(dirname "$3")" "$work/layer/tmp"
	chmod 1777 "$work/layer/tmp"
	install -m 755 "$2" "$work/layer/$3"
	[ "$1" != kubernetes ] || for link in $servers kubectl kubeadm kubelet; do ln -s kubernetes "$work/layer/usr/local/bin/$link"; done
	oci_layer "$1" "$work/layer"
	rm -rf "$work/layer"
}

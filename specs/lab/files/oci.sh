# Container images without a container engine: layers and images of an OCI layout,
# written by hand, so that equal inputs give equal digests and images share layers.
# Sourced; the caller sets $layout to the folder of the layout.

oci_begin() {
	mkdir -p "$layout/blobs/sha256" "$layout/.list"
	printf '{"imageLayoutVersion":"1.0.0"}' >"$layout/oci-layout"
}

# oci_blob FILE: move a file into the layout and print its digest.
oci_blob() {
	oci_sum=$(sha256sum "$1" | cut -d ' ' -f 1)
	mv "$1" "$layout/blobs/sha256/$oci_sum"
	printf '%s' "$oci_sum"
}

# oci_layer NAME FOLDER|TAR: a layer, remembered as NAME for oci_image.
# zstd, because nodes are emulated: it unpacks several times faster than gzip.
oci_layer() {
	if [ -d "$2" ]; then
		tar -C "$2" --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -cf "$layout/.layer" .
	else
		cp "$2" "$layout/.layer"
	fi
	sha256sum "$layout/.layer" | cut -d ' ' -f 1 >"$layout/.list/$1.diff"
	zstd --quiet -T0 -6 --rm "$layout/.layer" -o "$layout/.layer.zst"
	stat -c %s "$layout/.layer.zst" >"$layout/.list/$1.size"
	oci_blob "$layout/.layer.zst" >"$layout/.list/$1.blob"
}

# oci_image REFERENCE CONFIG LAYER...: CONFIG is the JSON of the image's config,
# for example {"Entrypoint":["/pause"]}.
oci_image() {
	oci_name=$1 oci_config=$2
	shift 2
	oci_diffs= oci_layers=
	for oci_l in "$@"; do
		oci_diffs="$oci_diffs${oci_diffs:+,}\"sha256:$(cat "$layout/.list/$oci_l.diff")\""
		oci_layers="$oci_layers${oci_layers:+,}{\"mediaType\":\"application/vnd.oci.image.layer.v1.tar+zstd\",\"digest\":\"sha256:$(cat "$layout/.list/$oci_l.blob")\",\"size\":$(cat "$layout/.list/$oci_l.size")}"
	done
	printf '{"created":"1970-01-01T00:00:00Z","architecture":"amd64","os":"linux","config":%s,"rootfs":{"type":"layers","diff_ids":[%s]}}' \
		"$oci_config" "$oci_diffs" >"$layout/.json"
	oci_size=$(stat -c %s "$layout/.json")
	oci_digest=$(oci_blob "$layout/.json")
	printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%s},"layers":[%s]}' \
		"$oci_digest" "$oci_size" "$oci_layers" >"$layout/.json"
	oci_size=$(stat -c %s "$layout/.json")
	oci_digest=$(oci_blob "$layout/.json")
	printf '{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s,"annotations":{"org.opencontainers.image.ref.name":"%s","io.containerd.image.name":"%s"}}\n' \
		"$oci_digest" "$oci_size" "$oci_name" "$oci_name" >>"$layout/.list/manifests"
}

# oci_end: write the index over all images.
oci_end() {
	printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.index.v1+json","manifests":[%s]}' \
		"$(paste -sd , "$layout/.list/manifests")" >"$layout/index.json"
	rm -rf "$layout/.list"
}

# Pushes a small image to the registry and pulls it back, under a name of its own.
registry=$1
client=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/in/blobs/sha256"
cd "$work/in" || exit 1

# The smallest image there is: a configuration and no layer.
blob() { sum=$(sha256sum "$1" | cut -c 1-64); mv "$1" "blobs/sha256/$sum"; }
printf '{"architecture":"amd64","os":"linux","rootfs":{"type":"layers","diff_ids":[]}}' >config
config_size=$(wc -c <config); blob config; config=$sum
printf '{"schemaVersion":2,"mediaType":"application/vnd.oci.image.manifest.v1+json","config":{"mediaType":"application/vnd.oci.image.config.v1+json","digest":"sha256:%s","size":%s},"layers":[]}' "$config" "$config_size" >manifest
manifest_size=$(wc -c <manifest); blob manifest; manifest=$sum
printf '{"imageLayoutVersion":"1.0.0"}' >oci-layout
printf '{"schemaVersion":2,"manifests":[{"mediaType":"application/vnd.oci.image.manifest.v1+json","digest":"sha256:%s","size":%s}]}' "$manifest" "$manifest_size" >index.json

skopeo copy --quiet --dest-cert-dir "$client" --dest-authfile "$client/auth.json" "oci:$work/in" "docker://$registry/kinit/verify:1"
skopeo copy --quiet --src-cert-dir "$client" --src-authfile "$client/auth.json" "docker://$registry/kinit/verify:1" "oci:$work/out"
test -s "$work/out/blobs/sha256/$manifest"
echo "pushed and pulled sha256:$manifest"

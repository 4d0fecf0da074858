# mirror-exporter.sh: a release of node_exporter in $SITE, at its place on github.com. The program is
# built in $WORK from the Go module, which Go's checksum database verifies; the archive has its name,
# its layout and its list of checksums from upstream.
set -eu
version=1.11.1
module=github.com/prometheus/node_exporter
name=node_exporter-$version.linux-amd64
release=$SITE/${module#*/}/releases/download/v$version
mkdir -p "$WORK/exporter/$name" "$release"
CGO_ENABLED=0 GOWORK=off GOFLAGS='-buildvcs=false -trimpath -gcflags=all=-dwarf=false' GOBIN="$WORK/exporter/$name" \
	go install -ldflags "-s -w -X github.com/prometheus/common/version.Version=$version" "$module@v$version"
"$WORK/exporter/$name/node_exporter" --version 2>&1 | head -n 1
tar -C "$WORK/exporter" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$name" | gzip -n >"$release/$name.tar.gz"
(cd "$release" && sha256sum "$name.tar.gz" >sha256sums.txt)

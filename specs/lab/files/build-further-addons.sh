#!/bin/sh
# Builds the images of addons whose programs are Go modules with requirements of their own: Traefik
# and node-problem-detector, under the names of the real ones.
#
#   build-further-addons.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/further-addons, an OCI layout, and in it images.txt, a name a line.
# Each is built in its own module with the versions that it asks for, so that nothing of it is
# in Go's build cache before.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/pins.sh"

need go golang-go
need zstd zstd
begin "${1:-}"
traefik=$(pinned traefik version)
detector=$(pinned node_problem_detector version)
settings="$(go version) $traefik $detector"
unless_made further-addons "$(made_of "$here/pins.sh" "$here/addons/go.sum.further.txt")"
layout=$work/further-addons
mkdir -p "$work/bin"
oci_begin

CGO_ENABLED=0 GOWORK=off GOFLAGS='-mod=mod -buildvcs=false -trimpath -gcflags=all=-dwarf=false' GOGC=off GOMEMLIMIT=1536MiB
export CGO_ENABLED GOWORK GOFLAGS GOGC GOMEMLIMIT

# copied MODULE VERSION: the working folder becomes a copy of a module. Its checksum is in
# go.sum.further.txt, because no database of checksums has all of them.
copied() {
	mkdir "$work/fetch"
	cd "$work/fetch"
	printf 'module fetch\n\ngo 1.24\n\nrequire %s %s\n' "$1" "$2" >go.mod
	cp "$here/addons/go.sum.further.txt" go.sum
	grep -qF "$1 $2 h1:" go.sum || die "addons/go.sum.further.txt has no checksum of $1 $2"
	go mod download "$1"
	cp -r "$(go list -m -f '{{.Dir}}' "$1")" "$work/source"
	chmod -R u+w "$work/source"
	cd "$work/source"
	rm -rf vendor "$work/fetch"
}
# image NAME PROGRAM CONFIG LAYER: an image of the program, at / of the layer.
image() {
	mkdir -p "$work/$4"
	mv "$work/bin/$2" "$work/$4/$2"
	oci_layer "$4" "$work/$4"
	oci_image "$1" "$3" "$4"
	echo "$1" >>"$layout/images.txt"
	cd "$work"
	rm -rf "$work/source" "${work:?}/$4"
	say "$1"
}

say "node-problem-detector $detector"
copied k8s.io/node-problem-detector "$detector"
go build -tags disable_stackdriver_exporter -ldflags "-s -w -X k8s.io/node-problem-detector/pkg/version.version=$detector" \
	-o "$work/bin/node-problem-detector" ./cmd/nodeproblemdetector
mkdir "$work/detector"
cp -r config "$work/detector/config"
image "$(pinned node_problem_detector image):$detector" node-problem-detector '{"Entrypoint":["/node-problem-detector"]}' detector

# Without the web page of its dashboard, which takes a build of its own and which no addon turns on,
# and without what asks the name servers of a hundred sites for certificates: half of all packages.
say "Traefik $traefik"
copied "github.com/traefik/traefik/${traefik%%.*}" "$traefik"
mkdir pkg/nodns
cat >pkg/nodns/nodns.go <<'GO'
package nodns

import (
	"errors"

	"github.com/go-acme/lego/v4/challenge"
)

func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, errors.New("this Traefik was built without providers of name servers, such as " + name)
}
GO
sed -i "s|\"github.com/go-acme/lego/v4/providers/dns\"|dns \"github.com/traefik/traefik/${traefik%%.*}/pkg/nodns\"|" pkg/provider/acme/provider.go
go build -ldflags "-s -w -X github.com/traefik/traefik/${traefik%%.*}/pkg/version.Version=${traefik#v}" -o "$work/bin/" ./cmd/traefik
[ "$("$work/bin/traefik" version --help >/dev/null && "$work/bin/traefik" version | awk '$1 == "Version:" { print $2 }')" = "${traefik#v}" ] || die "traefik says another version than its pin"
mkdir -p "$work/traefik/tmp"
chmod 1777 "$work/traefik/tmp"
image "$(pinned traefik image):$traefik" traefik '{"Entrypoint":["/traefik"]}' traefik
oci_end
finish further-addons

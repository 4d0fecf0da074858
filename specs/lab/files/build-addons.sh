#!/bin/sh
# Builds the images of addons that can be built from Go modules: metrics-server and
# local-path-provisioner, under the names of the real ones.
#
#   build-addons.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/addons, an OCI layout, and in it images.txt, a name a line.
# Both are built with the modules of Kubernetes' programs, so that all but their own packages is
# in Go's build cache once those have been built.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/modules.sh"
. "$here/pins.sh"

need go golang
need zstd zstd
begin "${1:-}"
extra=${ADDON_SOURCES:-$here/addons}
metrics=$(pinned metrics_server version)
local_path=$(pinned local_path_provisioner version)
settings="$(go version) $metrics $local_path"
unless_made addons "$(made_of "$here/modules.sh" "$here/pins.sh" "$sources"/go.*.txt "$extra"/go.*.txt)"
modules_begin

# copied MODULE: a copy of a module that wants nothing, in place of the module.
copied() {
	copied_version=$(awk -v name="$1" '$1 == name { print $2 }' "$extra/go.mod.txt")
	go mod download "$1@$copied_version"
	mkdir -p "copied/$1"
	cp -r "$(go env GOMODCACHE)/$1@$copied_version/." "copied/$1"
	chmod -R u+w "copied/$1"
	rm -rf "copied/$1/vendor"
	printf 'module %s\n\ngo %s\n' "$1" "$(awk '$1 == "go" { print $2 }' go.mod)" >"copied/$1/go.mod"
}
cat "$extra/go.sum.txt" >>go.sum
for name in github.com/prometheus/prometheus github.com/rancher/local-path-provisioner sigs.k8s.io/metrics-server sigs.k8s.io/sig-storage-lib-external-provisioner/v10; do
	copied "$name"
	replacements="${replacements:-} -replace $name=./copied/$name"
done
cat "$extra/go.mod.txt" >>go.mod
# shellcheck disable=SC2086 # a list of options
go mod edit $replacements

# metrics-server is written for other versions of two modules: the schema of its API is among
# those of this Kubernetes, and the parser takes other arguments.
server=copied/sigs.k8s.io/metrics-server
rm "$server/pkg/api/generated/openapi/"*
cat >"$server/pkg/api/generated/openapi/openapi.go" <<'GO'
package openapi

import "k8s.io/kubernetes/pkg/generated/openapi"

var GetOpenAPIDefinitions = openapi.GetOpenAPIDefinitions
GO
sed -i 's|textparse.New(b, "text/plain", nil, textparse.ParserOptions{})|textparse.New(b, "text/plain", "", false, false, labels.NewSymbolTable())|
	s|^\t"github.com/prometheus/prometheus/model/textparse"|\t"github.com/prometheus/prometheus/model/labels"\n&|' "$server/pkg/scraper/client/resource/decode.go"

say "metrics-server $metrics, local-path-provisioner $local_path"
go build -ldflags "-s -w -X k8s.io/client-go/pkg/version.gitVersion=$metrics -X main.VERSION=$local_path" -o "$work/bin/" \
	sigs.k8s.io/metrics-server/cmd/metrics-server github.com/rancher/local-path-provisioner
cd "$work"
for program in "metrics-server $metrics" "local-path-provisioner $local_path"; do
	said=$("./bin/${program% *}" --version)
	[ "${said##* }" = "${program#* }" ] || die "${program% *} says the version $said, and its pin ${program#* }"
done

layout=$work/addons
oci_begin
install -D -m 755 bin/metrics-server metrics/metrics-server
install -D -m 755 bin/local-path-provisioner local-path/usr/bin/local-path-provisioner
oci_layer metrics metrics
oci_layer local-path local-path
image() {
	oci_image "$@"
	echo "$1" >>"$layout/images.txt"
	say "$1"
}
image "$(pinned metrics_server image):$metrics" '{"User":"65534","Entrypoint":["/metrics-server"]}' metrics
image "$(pinned local_path_provisioner image):$local_path" '{"Env":["PATH=/usr/bin"],"Cmd":["local-path-provisioner"]}' local-path
oci_end
finish addons

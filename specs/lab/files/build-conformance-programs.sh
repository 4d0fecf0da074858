#!/bin/sh
# Builds the programs of Kubernetes' end-to-end tests: from Go modules the suite, ginkgo's
# command that runs it, and what is in the images of the tests; busybox from the sources in
# Debian's archive.
#
#   BUSYBOX="URL SHA256" build-conformance-programs.sh OUTPUT_DIR
#
# BUSYBOX is the pin busybox_source of "kinit pins": where the sources are, and their sum.
#
# Result: OUTPUT_DIR/conformance-programs. The versions are those of conformance/go.mod.txt,
# which takes from kubernetes/go.mod.txt what both need, so that it is compiled once.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

sources=$here/conformance
need go golang
need gcc gcc
need make make
need bzip2 bzip2
need curl curl
[ -n "${BUSYBOX:-}" ] || die "needs BUSYBOX=\"URL SHA256\": the pin busybox_source of kinit pins"
begin "${1:-}"
settings="$(go version) ${MIRROR:-} $BUSYBOX"
unless_made conformance-programs "$(made_of "$sources"/go.*.txt)"

# The flags of build-kubernetes.sh: with others everything would be compiled again.
CGO_ENABLED=0 GOWORK=off GOFLAGS='-buildvcs=false -trimpath -gcflags=all=-dwarf=false' GOGC=400
export CGO_ENABLED GOWORK GOFLAGS GOGC

mkdir -p "$work/src" "$work/conformance-programs"
for file in go.mod go.sum; do cp "$sources/$file.txt" "$work/src/$file"; done
cd "$work/src"
version=$(go list -m -f '{{.Version}}' k8s.io/kubernetes)
minor=${version#v1.}
flags="-s -w"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
	flags="$flags -X $package.gitTreeState=clean -X $package.gitCommit=built-from-go-modules"
done

say "the suite of Kubernetes $version"
go test -c -ldflags "$flags" -o "$work/conformance-programs/e2e.test" k8s.io/kubernetes/test/e2e
say "ginkgo, and the programs in images"
images=k8s.io/kubernetes/test/images
go build -ldflags "$flags" -o "$work/conformance-programs/" \
	github.com/onsi/ginkgo/v2/ginkgo k8s.io/sample-apiserver $images/agnhost $images/nonewprivs \
	$images/regression-issue-74839 $images/resource-consumer $images/resource-consumer/consume-cpu

# Upstream's sources, because tests look for what Debian's patches change: its shell loses
# variables with names such as data-1. Without tc, which newer kernels' headers forbid.
say "busybox"
url=${BUSYBOX% *}
archive=${url##*/}
mirror=$(echo "${MIRROR:-}" | grep -o 'https\?://[^ ]*' | head -n 1 || true)
[ -z "$mirror" ] || url=$mirror/pool/${url#*/pool/}
curl --fail --silent --show-error --location --retry 3 -o "$work/$archive" "$url"
echo "${BUSYBOX#* }  $work/$archive" | sha256sum --check --quiet ||
	die "$archive is not the one that was expected: the mirror has another one"
mkdir "$work/busybox"
tar -xjf "$work/$archive" -C "$work/busybox" --strip-components=1
make -C "$work/busybox" defconfig >/dev/null 2>&1
sed -i 's/^# CONFIG_STATIC is not set/CONFIG_STATIC=y/; s/^CONFIG_TC=y/# CONFIG_TC is not set/' "$work/busybox/.config"
make -C "$work/busybox" -j "$(nproc)" >"$work/busybox.log" 2>&1 || { tail -n 20 "$work/busybox.log"; die "busybox was not built"; }
install -m 755 "$work/busybox/busybox" "$work/conformance-programs/busybox"

# Files that images have beside programs.
cp -r "$(go list -m -f '{{.Dir}}' k8s.io/kubernetes)/test/images" "$work/images"
chmod -R u+w "$work/images"
files=$work/conformance-programs/files
mkdir "$files"
for image in kitten nautilus; do mv "$work/images/$image/html" "$files/$image"; done
mv "$work/images/agnhost/porter" "$files/porter"
mv "$work/images/httpd/index.html" "$files/index.html"
rm -f "$files/porter"/*.go
cd "$work"
conformance-programs/e2e.test --version
finish conformance-programs

#!/bin/sh
# Builds the programs of a cluster, from Go modules: Kubernetes, etcd, CoreDNS, flannel and
# its CNI plugin. All but the last have one module graph, so what they share, which is
# most of it, is compiled once.
#
#   [CNI_PLUGINS_VERSION=v0.9.1] build-kubernetes.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/kubernetes etcd coredns flanneld flannel-cni. The versions are those
# of kubernetes/go.mod.txt.
#
# kubernetes is every Kubernetes program in one: the name it is called by chooses among
# kubeadm kubelet kubectl kube-apiserver kube-controller-manager kube-scheduler kube-proxy.
# One file instead of seven is a fifth of the disk, and all Kubernetes images of the lab
# share its layer.
#
# flannel-cni is the one that the CNI plugins held until v0.9.1: its own repository is no
# Go module to be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

sources=${KUBERNETES_SOURCES:-$here/kubernetes}
programs="kubernetes etcd coredns flanneld"
plugins=${CNI_PLUGINS_VERSION:-v0.9.1}

need go golang
begin "${1:-}"
settings="$(go version) $plugins"
unless_made flannel-cni "$(made_of "$sources"/go.*.txt "$sources"/*/main.go.txt)"

# Without DWARF, which no program here keeps, compiling takes a tenth less. The compiler
# runs thousands of times and briefly: not collecting garbage below the limit saves more than
# that again.
CGO_ENABLED=0 GOWORK=off GOFLAGS='-buildvcs=false -trimpath -gcflags=all=-dwarf=false' GOGC=off GOMEMLIMIT=1536MiB
export CGO_ENABLED GOWORK GOFLAGS GOGC GOMEMLIMIT

# The names end in .txt there because a nested go.mod would cut the folder off from what
# kinit embeds.
mkdir -p "$work/src" "$work/bin"
for file in go.mod go.sum; do cp "$sources/$file.txt" "$work/src/$file"; done
for program in kubernetes etcd coredns; do install -D -m 644 "$sources/$program/main.go.txt" "$work/src/$program/main.go"; done
cd "$work/src"

module() { go list -m -f "{{.$2}}" "$1"; }
say "modules"
go mod download github.com/coredns/coredns github.com/flannel-io/flannel

# CoreDNS fills in a field that the client of this Kubernetes no longer has, with what is
# the default anyhow.
cp -r "$(module github.com/coredns/coredns Dir)" coredns-module
chmod -R u+w coredns-module
sed -i '/RetryOnError: *false,/d' coredns-module/plugin/kubernetes/object/informer.go
go mod edit -replace github.com/coredns/coredns=./coredns-module

# flannel's own main package, without the backends that need a C compiler and the
# programming kit of a cloud.
mkdir flanneld
sed '/pkg\/backend\/\(udp\|tencentvpc\)"$/d' "$(module github.com/flannel-io/flannel Dir)/main.go" >flanneld/main.go

# What the release scripts set. The commit is not known here, and says so.
version=$(module k8s.io/kubernetes Version)
minor=${version#v1.}
flags="-s -w -X github.com/flannel-io/flannel/pkg/version.Version=$(module github.com/flannel-io/flannel Version)"
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
	flags="$flags -X $package.gitTreeState=clean -X $package.gitCommit=built-from-go-modules"
done

# Go names each package that it compiles, and none that its cache has.
progress() {
	count=0
	while read -r line; do
		case "$line" in
		*[:\ ]*) echo "$line" ;;
		*)
			count=$((count + 1))
			[ $((count % 20)) != 0 ] || echo "compiled $count of $1 packages"
			;;
		esac
	done
	say "$count of $1 packages were compiled, the others are in Go's build cache"
}

say "Kubernetes $version, etcd $(module go.etcd.io/etcd/server/v3 Version), CoreDNS $(module github.com/coredns/coredns Version), flannel $(module github.com/flannel-io/flannel Version)"
packages=$(printf './%s ' $programs)
total=$(go list -deps $packages | wc -l)
{ go build -v -ldflags "$flags" -o "$work/bin/" $packages 2>&1 || touch "$work/failed"; } | progress "$total"
[ ! -e "$work/failed" ] || die "go build failed"

say "flannel's CNI plugin of $plugins"
GOBIN="$work/bin" go install -ldflags "-s -w" "github.com/containernetworking/plugins/plugins/meta/flannel@$plugins"

cd "$work"
for program in $programs; do mv "bin/$program" .; done
mv bin/flannel flannel-cni
ln -s kubernetes kubeadm
[ "$(./kubeadm version -o short)" = "$version" ] || die "the program says another version than $version"
./etcd --version | head -n 1
./coredns -version | head -n 1
./flanneld --version
finish $programs flannel-cni

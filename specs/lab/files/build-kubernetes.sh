#!/bin/sh
# Builds every Kubernetes program as one: the name it is called by chooses among
# kubeadm kubelet kubectl kube-apiserver kube-controller-manager kube-scheduler
# kube-proxy. One file instead of seven is a fifth of the disk, and all Kubernetes
# images of the lab share its layer.
#
#   [KUBERNETES_VERSION=v1.34.4] build-kubernetes.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/kubernetes. About 10 minutes on two cores the first time, then
# Go's build cache makes it half a minute.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

version=${KUBERNETES_VERSION:-v1.34.4}
sources=${KUBERNETES_SOURCES:-$here/kubernetes}

need go golang
grep -q "k8s.io/kubernetes $version\$" "$sources/kubernetes/go.mod.txt" ||
	die "kubernetes/go.mod.txt does not require k8s.io/kubernetes $version"
begin "${1:-}"
settings=$(go version)
unless_made kubernetes "$(made_of "$sources"/kubernetes/*)"

# What the release scripts set. The commit is not known here, and says so.
minor=${version#v1.}
flags=
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
	flags="$flags -X $package.gitVersion=$version -X $package.gitMajor=1 -X $package.gitMinor=${minor%%.*}"
	flags="$flags -X $package.gitTreeState=clean -X $package.gitCommit=built-from-go-modules"
done

say "Kubernetes $version from Go modules"
go_module "$sources/kubernetes" kubernetes "$flags"
ln -s kubernetes "$work/kubeadm"
[ "$("$work/kubeadm" version -o short)" = "$version" ] || die "the program says another version than $version"
finish kubernetes

#!/bin/sh
# Builds the programs of a cluster, from Go modules: Kubernetes, etcd, CoreDNS, flannel and
# its CNI plugin. All but the last have one module graph, so what they share, which is
# most of it, is compiled once.
#
#   [CNI_PLUGINS_VERSION=VERSION] build-kubernetes.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/kubernetes etcd etcdutl coredns flanneld flannel-cni. The versions are those
# of kubernetes/go.mod.txt.
#
# kubernetes is every Kubernetes program in one: the name it is called by chooses among
# kubeadm kubelet kubectl kube-apiserver kube-controller-manager kube-scheduler kube-proxy.
# One file instead of seven is a fifth of the disk, and all Kubernetes images of the lab
# share its layer.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/modules.sh"

programs="kubernetes etcd etcdutl coredns flanneld"

need go golang
begin "${1:-}"
settings="$(go version) $plugins"
unless_made flannel-cni "$(made_of "$here/modules.sh" "$sources"/go.*.txt "$sources"/*/main.go.txt)"
modules_begin

modules_coredns
say "Kubernetes $version, etcd $(module go.etcd.io/etcd/server/v3 Version), CoreDNS $(module github.com/coredns/coredns Version), flannel $(module github.com/flannel-io/flannel Version)"
modules_build $programs
modules_build_plugin

cd "$work"
ln -s kubernetes kubeadm
[ "$(./kubeadm version -o short)" = "$version" ] || die "the program says another version than $version"
./etcd --version | head -n 1
./etcdutl version | head -n 1
./coredns -version | head -n 1
./flanneld --version
finish $programs flannel-cni

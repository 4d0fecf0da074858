#!/bin/sh
# Builds the next minor version of Kubernetes, from its own Go modules, for tests of upgrades: its programs, and the images
# that its kubeadm wants, with the etcd and the CoreDNS of that version.
#
#   build-minor.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/minor, as build-upgrade.sh has it in upgrade. The versions are those of minor/go.mod.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
KUBERNETES_SOURCES=$here/minor
. "$here/modules.sh"
. "$here/versions.sh"

version_begin "${1:-}"
unless_made minor "$(made_of "$here/modules.sh" "$here/versions.sh" "$sources"/go.*.txt "$here/kubernetes"/*/main.go.txt)"
is=$(sed -n 's/.*\/kube-proxy:\(v.*\)$/\1/p' "$base/images.txt")
modules_begin
modules_coredns
say "Kubernetes $version, etcd $(module go.etcd.io/etcd/server/v3 Version), CoreDNS $(module github.com/coredns/coredns Version)"
modules_build kubernetes etcd etcdutl coredns

cd "$work"
version_site minor "$version"
layout=$work/minor/images
oci_begin
version_images "$is" "$version"
oci_end
finish minor

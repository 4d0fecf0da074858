#!/bin/sh
# Builds etcd, in the version that kubeadm asks for.
#
#   build-etcd.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/etcd. Its version is the one in kubernetes/etcd/go.mod.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

sources=${KUBERNETES_SOURCES:-$here/kubernetes}
need go golang
begin "${1:-}"
settings=$(go version)
unless_made etcd "$(made_of "$sources"/etcd/*)"
say "$(grep -o 'go.etcd.io/etcd/server/v3 .*' "$sources/etcd/go.mod.txt")"
go_module "$sources/etcd" etcd ""
"$work/etcd" --version | head -n 1
finish etcd

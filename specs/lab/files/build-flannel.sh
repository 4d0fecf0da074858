#!/bin/sh
# Builds flannel and its CNI plugin from Go modules, for who downloads the other programs of a
# cluster: upstream publishes no checksums of these two.
#
#   [CNI_PLUGINS_VERSION=VERSION] build-flannel.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/flannel with flanneld and flannel-cni, as build-kubernetes.sh makes them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/modules.sh"

need go golang
begin "${1:-}"
settings="$(go version) $plugins"
unless_made flannel "$(made_of "$here/modules.sh" "$sources"/go.*.txt)"
modules_begin
say "flannel $(module github.com/flannel-io/flannel Version)"
modules_build flanneld
modules_build_plugin
cd "$work"
./flanneld --version
mkdir flannel
mv flanneld flannel-cni flannel/
finish flannel

#!/bin/sh
# Builds the root file system of the lab's nodes that are containers: Debian 12 with
# systemd and a container runtime, without a kernel. build-node.sh makes an image of it.
#
#   build-node-root.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/node-root.tar.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

need mmdebstrap mmdebstrap
begin "${1:-}"
settings=${MIRROR:-}
unless_made node-root.tar "$(made_of "$here"/node/*)"

NODE_FILES="$here/node"
export NODE_FILES
say "root file system by mmdebstrap"
bootstrap "$work/node-root.tar" "$system_packages,$node_packages" 'sh "$NODE_FILES/customize.sh" "$1"'
finish node-root.tar

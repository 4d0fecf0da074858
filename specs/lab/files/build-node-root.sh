#!/bin/sh
# Builds the root file system of the lab's nodes that are containers: Debian 12 with
# systemd, a container runtime and Open vSwitch, without a kernel. build-node.sh makes an
# image of it.
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
unless_made node-root.tar "$(made_of "$here"/node/* "$here/hypervisor/underlay.sh" "$here/hypervisor/kinit-lab-underlay.service")"

# Machines that exist may be on an overlay, and nothing can be installed at run time.
overlay_packages=openvswitch-switch,ovn-host

NODE_FILES="$here/node"
HYPERVISOR_FILES="$here/hypervisor"
export NODE_FILES HYPERVISOR_FILES
say "root file system by mmdebstrap"
bootstrap "$work/node-root.tar" "$system_packages,$node_packages,$overlay_packages" 'sh "$NODE_FILES/customize.sh" "$1"'
finish node-root.tar

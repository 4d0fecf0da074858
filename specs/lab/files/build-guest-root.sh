#!/bin/sh
# Builds the root file system of the lab's Linux guest: Debian 12 with the cloud
# kernel, cloud-init and a container runtime, trimmed to boot fast on an emulated
# processor. build-guest.sh makes a disk image of it.
#
#   build-guest-root.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/guest-root.tar.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

need mmdebstrap mmdebstrap
need cpio cpio
begin "${1:-}"
settings=${MIRROR:-}
unless_made guest-root.tar "$(made_of "$here"/guest/*)"

boot=systemd-resolved,udev,linux-image-cloud-amd64,busybox-static,e2fsprogs

GUEST_FILES="$here/guest"
export GUEST_FILES
# The kernel's package need not make an initial RAM disk: customize.sh makes a smaller one.
INITRD=No
export INITRD
say "root file system by mmdebstrap"
bootstrap "$work/guest-root.tar" "$system_packages,$node_packages,$boot,cloud-init" 'sh "$GUEST_FILES/customize.sh" "$1"'
finish guest-root.tar

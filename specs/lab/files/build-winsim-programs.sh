#!/bin/sh
# Builds what nodes with the lab's SIMULATED Windows download, and what the simulated Windows
# is installed with: plain text that says it stands in for containerd, kubeadm, drivers,
# OpenSSH and the others.
#
#   build-winsim-programs.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/winsim-programs, with checksums in its SHA256SUMS.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/pins.sh"

need genisoimage genisoimage
begin "${1:-}"
# Archives, by what is pinned of them.
versions=
for name in kubernetes containerd crictl flannel cni_flannel cni; do versions="$versions $name=$(pinned "windows_$name" version)"; done
settings=$versions
unless_made winsim-programs "$(made_of "$here/winsim/programs.sh")"

say "programs that stand in for Kubernetes on Windows"
sh "$here/winsim/programs.sh" "$work/winsim-programs" $versions
finish winsim-programs

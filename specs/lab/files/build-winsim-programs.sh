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

need genisoimage genisoimage
begin "${1:-}"
settings="${KUBERNETES_VERSION:=v1.34.4}"
unless_made winsim-programs "$(made_of "$here/winsim/programs.sh")"

say "programs that stand in for Kubernetes on Windows"
sh "$here/winsim/programs.sh" "$work/winsim-programs" "$KUBERNETES_VERSION"
finish winsim-programs

#!/bin/sh
# Builds CoreDNS, in the version that kubeadm asks for.
#
#   [COREDNS_VERSION=v1.12.1] build-coredns.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/coredns.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

need go golang
begin "${1:-}"
settings="$(go version) ${COREDNS_VERSION:-}"
unless_made coredns "$(made_of)"
say "CoreDNS ${COREDNS_VERSION:-v1.12.1}"
go_program "github.com/coredns/coredns@${COREDNS_VERSION:-v1.12.1}" coredns ""
"$work/coredns" -version | head -n 1
finish coredns

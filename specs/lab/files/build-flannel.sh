#!/bin/sh
# Builds flannel and its CNI plugin.
#
#   [FLANNEL_VERSION=v0.26.7] [CNI_PLUGINS_VERSION=v0.9.1] build-flannel.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/flanneld and OUTPUT_DIR/flannel-cni. The plugin is the one that
# the CNI plugins held until v0.9.1: its own repository is no Go module to be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

version=${FLANNEL_VERSION:-v0.26.7}
need go golang
need gcc gcc
begin "${1:-}"
settings="$(go version) $version ${CNI_PLUGINS_VERSION:-}"
unless_made flannel-cni "$(made_of)"
say "flannel $version"
# cgo for its UDP backend; static, because images and guests have other C libraries.
CGO_ENABLED=1 go_program "github.com/flannel-io/flannel@$version" flanneld \
	"-X github.com/flannel-io/flannel/pkg/version.Version=$version -linkmode=external -extldflags=-static"
"$work/flanneld" --version
say "flannel's CNI plugin"
go_program "github.com/containernetworking/plugins/plugins/meta/flannel@${CNI_PLUGINS_VERSION:-v0.9.1}" flannel-cni ""
finish flanneld flannel-cni

#!/bin/sh
# Builds a second version of Kubernetes for tests of upgrades: THE SAME SOURCES as those of
# build-kubernetes.sh, stamped with the next patch version. Nothing but the number differs, so an
# upgrade to it shows how versions roll, and not what a new version brings.
#
#   build-upgrade.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/upgrade with
#   version             the number
#   VERSION/            bin/linux/amd64/PROGRAM and PROGRAM.sha256, as the release site has them
#   images/             the four images of the version, an OCI layout, and their names in images.txt
#
# The programs are linked again, and compiled only where Go's build cache does not have them.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/modules.sh"
. "$here/versions.sh"

version_begin "${1:-}"
unless_made upgrade "$(made_of "$here/modules.sh" "$here/versions.sh" "$sources"/go.*.txt "$sources/kubernetes/main.go.txt")"
modules_begin
is=$version
next=${is%.*}.$((${is##*.} + 1))
flags=$(printf '%s' "$flags" | sed "s/gitVersion=$is/gitVersion=$next/g; s/gitCommit=[^ ]*/gitCommit=the-sources-of-$is/g")
say "the sources of Kubernetes $is, stamped $next"
modules_build kubernetes

cd "$work"
version_site upgrade "$next"
layout=$work/upgrade/images
oci_begin
version_images "$is" "$next"
oci_end
finish upgrade

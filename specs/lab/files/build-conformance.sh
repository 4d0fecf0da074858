#!/bin/sh
# Builds what "kinit conformance" needs: the suite of Kubernetes' end-to-end tests, and the
# container images of its conformance tests, under the names of the real ones.
#
#   BUSYBOX="URL SHA256" [PROGRAMS=FOLDER] build-conformance.sh OUTPUT_DIR
#
# The programs of a cluster are in PROGRAMS, as programs.sh says; without it they are in
# OUTPUT_DIR and built where they are missing, as its images are.
#
# Result: OUTPUT_DIR/conformance with
#   e2e.test, ginkgo, kubectl    the suite and what it runs
#   images, images/images.txt    an OCI layout, and the names in it, one a line
#   images/missing.txt           images that are not to be had: a name, a tab and the reason
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/programs.sh"

need mmdebstrap mmdebstrap
need zstd zstd
begin "${1:-}"
sh "$here/build-images.sh" "$out"
sh "$here/build-conformance-programs.sh" "$out"
programs=$out/conformance-programs
cluster=${PROGRAMS:-$out}
settings="${MIRROR:-} $(programs_digest "$cluster" kubectl etcd)"
unless_made conformance "$(made_of "$programs.inputs" "$here"/conformance/*.sh "$here"/conformance/*.txt "$here/programs.sh")"
layout=$work/conformance/images
mkdir -p "$work/conformance"
oci_begin

say "layers"
. "$here/conformance/layers.sh"
say "images"
"$programs/e2e.test" --list-images | sort >"$work/wanted"
. "$here/conformance/images.sh"
oci_end

# The suite must ask for no image that is neither made nor explained.
while read -r name; do
	grep -qxF "$name" "$layout/images.txt" "$out/images/images.txt" || grep -qF "$name	" "$layout/missing.txt" ||
		die "the suite wants $name, which conformance/images.sh does not know"
done <"$work/wanted"

cp "$programs/e2e.test" "$programs/ginkgo" "$work/conformance/"
ln -s "$(realpath -m --relative-to="$out/conformance" "$(program_file "$cluster" kubectl)")" "$work/conformance/kubectl"
finish conformance

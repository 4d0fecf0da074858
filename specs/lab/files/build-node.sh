#!/bin/sh
# Builds the image of the lab's nodes that are containers: their root file system and the
# Kubernetes programs. Nothing in it is made for containers: who runs it does that.
#
#   [PROGRAMS=FOLDER] build-node.sh OUTPUT_DIR
#
# PROGRAMS holds the programs, as programs.sh says; without it they are in OUTPUT_DIR and built
# where they are missing. The root file system is OUTPUT_DIR/node-root.tar, built first
# where it is missing.
#
# Result: OUTPUT_DIR/node.tar, an OCI archive for `podman load`, and the image's name in
# OUTPUT_DIR/node.ref.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/programs.sh"

need zstd zstd
begin "${1:-}"
sh "$here/build-node-root.sh" "$out"
programs=${PROGRAMS:-$out}
if [ "$programs" = "$out" ]; then sh "$here/build-kubernetes.sh" "$out"; fi
settings=$(programs_digest "$programs" $node_programs)
unless_made node.ref "$(made_of "$here/guest/kubernetes.sh" "$here/programs.sh" "$out/node-root.tar")"
image=localhost/kinit-lab-node:$inputs

say "Kubernetes programs"
mkdir "$work/programs"
PROGRAMS="$programs" sh "$here/guest/kubernetes.sh" "$work/programs"

say "pack"
layout=$work/layout
oci_begin
oci_layer root "$out/node-root.tar"
oci_layer programs "$work/programs"
oci_image "$image" '{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Cmd":["/sbin/init"],"StopSignal":"SIGRTMIN+3"}' root programs
oci_end
tar -C "$layout" -cf "$work/node.tar" oci-layout index.json blobs
echo "$image" >"$work/node.ref"
say "$image"
finish node.tar node.ref

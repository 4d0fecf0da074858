#!/bin/sh
# Builds the store of images that all hypervisors of a lab read: podman looks there before
# its own, so an image that a hypervisor would load is there without being copied.
#
#   build-store.sh OUTPUT_DIR
#
# It holds OUTPUT_DIR/services.tar and, where it is there, OUTPUT_DIR/node.tar. Result:
# OUTPUT_DIR/store, for additionalimagestores of storage.conf.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

need podman podman
[ "$(id -u)" = 0 ] || die "needs root: files of images have owners"
begin "${1:-}"
archives=
for name in services node; do
	[ ! -f "$out/$name.tar" ] || archives="$archives $out/$name.tar"
done
unless_made store "$(made_of $archives)"
# Podman takes no longer path than 50 characters for what is there while it runs.
run=$(mktemp -d /tmp/kinit.XXXXXX)
before_cleanup() { rm -rf --one-file-system "$run"; }
for archive in $archives; do
	name=$(cat "${archive%.tar}.ref")
	say "$name"
	# Folders of its own: the machine's own podman is not touched.
	podman --root "$work/store" --runroot "$run/run" --tmpdir "$run/tmp" --storage-driver overlay load --quiet --input "$archive" >/dev/null
done
# What a user of the store would write.
find "$work/store" -name '*.lock' -exec chmod 644 {} +
umount -l "$work/store/overlay" 2>/dev/null || true
finish store

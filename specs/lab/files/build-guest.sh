#!/bin/sh
# Builds the disk image of the lab's Linux guest from its root file system.
#
#   [PROGRAMS=FOLDER] [IMAGES=FOLDER] [DISK_SIZE=8G] build-guest.sh OUTPUT_DIR
#
# PROGRAMS     holds the programs, as programs.sh says; default OUTPUT_DIR, where they are
#              there. Empty: a guest without Kubernetes
# IMAGES       is the OCI layout by build-images.sh; default OUTPUT_DIR/images, where it
#              is there. Its images are put into containerd's store, unpacked: an
#              emulated processor takes minutes for what takes seconds here. Empty: none
#
# The root file system is OUTPUT_DIR/guest-root.tar, built first where it is missing.
#
# Result: OUTPUT_DIR/guest.qcow2 and its checksum OUTPUT_DIR/guest.sha256.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/programs.sh"

need qemu-img qemu-utils
need extlinux extlinux
need losetup mount
need mkfs.ext4 e2fsprogs
[ "$(id -u)" = 0 ] || die "needs root: a loop device and a mount"
begin "${1:-}"
sh "$here/build-guest-root.sh" "$out"
if [ -z "${PROGRAMS+set}" ] && [ -z "$(programs_missing "$out" $node_programs)" ]; then PROGRAMS=$out; fi
if [ -z "${IMAGES+set}" ] && [ -f "$out/images/index.json" ]; then IMAGES=$out/images; fi
settings="${DISK_SIZE:-}"
[ -z "${PROGRAMS:-}" ] || settings="$settings $(programs_digest "$PROGRAMS" $node_programs)"
unless_made guest.qcow2 "$(made_of "$here"/guest/* "$here/programs.sh" "$out/guest-root.tar" ${IMAGES:+"$IMAGES/index.json"})"
disk=$work/disk.raw
root=$work/root

# Deepest first: what containerd mounted, then the disk.
mounts() { awk -v root="$root" '$2 == root || index($2, root "/") == 1 { print $2 }' /proc/mounts | sort -r; }
before_cleanup() {
	mounts | while read -r path; do umount "$path" || umount -l "$path"; done
}

# The whole disk is one file system and the boot loader lies in its first sectors: with
# no partition, nothing but the file system must grow on a larger disk. extlinux reads
# neither 64-bit nor metadata-checksum file systems.
say "file system"
truncate -s "${DISK_SIZE:-8G}" "$disk"
mkfs.ext4 -q -F -L kinit-root -O ^64bit,^metadata_csum,^orphan_file -E lazy_itable_init=0,lazy_journal_init=0 -N 400000 "$disk" 2>/dev/null ||
	mkfs.ext4 -q -F -L kinit-root -O ^64bit,^metadata_csum -E lazy_itable_init=0,lazy_journal_init=0 -N 400000 "$disk"
mkdir "$root"
mount -o loop,noatime "$disk" "$root"
tar -C "$root" --numeric-owner -xpf "$out/guest-root.tar"

if [ -n "${PROGRAMS:-}" ]; then
	say "Kubernetes programs"
	PROGRAMS="$PROGRAMS" sh "$here/guest/kubernetes.sh" "$root"
fi
if [ -n "${IMAGES:-}" ]; then
	say "container images into containerd's store"
	mount -t proc proc "$root/proc"
	mount --bind /dev "$root/dev"
	mkdir -p "$root/run/images"
	mount --bind -o ro "$IMAGES" "$root/run/images" 2>/dev/null || mount --bind "$IMAGES" "$root/run/images"
	sh "$here/guest/containers.sh" "$root"
fi

say "boot loader"
mkdir -p "$root/boot/extlinux"
cp "$here/guest/extlinux.conf" "$root/boot/extlinux/extlinux.conf"
extlinux --install "$root/boot/extlinux" >/dev/null 2>&1 || die "extlinux could not be installed"

# Lazily never here: what is still in use is not all on the disk yet.
mounts | while read -r path; do umount "$path"; done
[ -z "$(mounts)" ] || die "the disk could not be unmounted"
say "convert"
e2fsck -fp "$disk" >/dev/null || [ $? -le 1 ]
qemu-img convert -f raw -O qcow2 -o lazy_refcounts=on "$disk" "$work/guest.qcow2"
(cd "$work" && sha256sum guest.qcow2 >guest.sha256)
finish guest.sha256 guest.qcow2

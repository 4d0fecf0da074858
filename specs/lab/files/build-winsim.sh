#!/bin/sh
# Builds the installation media of the lab's SIMULATED Windows: a CD that boots a small
# Linux whose only program is the simulator. Like the real Setup it puts an image onto the
# first disk, restarts from it, and does what the answer file on another CD says.
#
#   WINSIM=PROGRAM build-winsim.sh OUTPUT_DIR
#
# WINSIM is the simulator, a static program. busybox comes from
# OUTPUT_DIR/guest-root.tar, built first where it is missing.
#
# Result: OUTPUT_DIR/winsim.iso and its checksum OUTPUT_DIR/winsim.sha256; and
# OUTPUT_DIR/winsim-programs, by build-winsim-programs.sh.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

isolinux=/usr/lib/ISOLINUX/isolinux.bin
loader=/usr/lib/syslinux/modules/bios/ldlinux.c32

need genisoimage genisoimage
need extlinux extlinux
need mkfs.ext4 e2fsprogs
need losetup mount
need dpkg-deb dpkg
need depmod kmod
[ -f "$isolinux" ] || die "needs $isolinux: install the Debian package isolinux"
[ -f "$loader" ] || die "needs $loader: install the Debian package syslinux-common"
[ "$(id -u)" = 0 ] || die "needs root: a loop device and a mount"
[ -x "${WINSIM:-}" ] || die "WINSIM names no program: ${WINSIM:-(empty)}"
begin "${1:-}"
sh "$here/build-guest-root.sh" "$out"
sh "$here/build-winsim-programs.sh" "$out"
unless_made winsim.iso "$(made_of "$here"/winsim/* "$out/guest-root.tar" "$WINSIM")"

before_cleanup() { umount "$work/disk" 2>/dev/null || true; }

# The cloud kernel of the Linux guests has no driver for the SATA drives that Windows
# guests have their CDs in.
say "kernel"
mkdir "$work/debian" "$work/kernel"
tar -C "$work/debian" --numeric-owner -xpf "$out/guest-root.tar"
package=$(apt-cache depends --no-recommends linux-image-amd64 | sed -n 's/.*Depends: \(linux-image-[^ ]*\).*/\1/p' | head -n 1)
[ -n "$package" ] || die "no kernel among Debian's packages: apt-get update"
(cd "$work/kernel" && apt-get -q download "$package" >/dev/null && dpkg-deb -x linux-image-*.deb .)

say "root file system"
mkdir "$work/root"
sh "$here/winsim/root.sh" "$work/root" "$work/debian" "$work/kernel" "$WINSIM"

# The file system begins where the disk does, without partitions. It need not grow: what is
# simulated is small, and there is room for two files of 100 MB.
say "disk image"
truncate -s 320M "$work/disk.raw"
mkfs.ext4 -q -F -L kinit-winsim -O ^64bit,^metadata_csum -E lazy_itable_init=0,lazy_journal_init=0 "$work/disk.raw"
mkdir "$work/disk"
mount -o loop "$work/disk.raw" "$work/disk"
cp -a "$work/root/." "$work/disk/"
mkdir -p "$work/disk/boot/extlinux"
cp "$here/winsim/extlinux.conf" "$work/disk/boot/extlinux/extlinux.conf"
extlinux --install "$work/disk/boot/extlinux" >/dev/null 2>&1 || die "extlinux could not be installed"
umount "$work/disk"

say "media"
mkdir -p "$work/media/isolinux" "$work/media/sources"
cp -a "$work/root/." "$work/media/"
gzip -1 -c "$work/disk.raw" >"$work/media/sources/install.img.gz"
cp "$isolinux" "$loader" "$work/media/isolinux/"
sed 's/winsim.root=kinit-winsim/winsim.root=KINIT_WINSIM/' "$here/winsim/extlinux.conf" >"$work/media/isolinux/isolinux.cfg"
genisoimage -quiet -R -V KINIT_WINSIM -b isolinux/isolinux.bin -c isolinux/boot.cat \
	-no-emul-boot -boot-load-size 4 -boot-info-table -o "$work/winsim.iso" "$work/media" 2>/dev/null ||
	die "genisoimage failed"
(cd "$work" && sha256sum winsim.iso >winsim.sha256)
finish winsim.sha256 winsim.iso

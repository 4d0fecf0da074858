#!/bin/sh
# Builds a disk image like those that Debian publishes for clouds: Debian's kernel, initial RAM
# disk, cloud-init and services as their packages bring them, and nothing of Kubernetes.
#
#   PLACE=images/…/NAME.qcow2 [DISK_SIZE=3G] build-stock-guest.sh OUTPUT_DIR
#
# PLACE is where the site that publishes such images has this one.
#
# What differs from a published image: one file system on the whole disk and extlinux in place
# of partitions and grub; the processor's clock is said to be reliable, as in guest/extlinux.conf;
# apt's list has the main suite alone.
#
# Result: OUTPUT_DIR/stock-guest/PLACE, and its checksum in OUTPUT_DIR/stock-guest/sha256.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/pins.sh"

need mmdebstrap mmdebstrap
need qemu-img qemu-utils
need extlinux extlinux
need losetup mount
need mkfs.ext4 e2fsprogs
[ "$(id -u)" = 0 ] || die "needs root: a loop device and a mount"
[ -n "${PLACE:-}" ] || die "PLACE is not set: where the image is in the site of such images"
begin "${1:-}"
settings="${MIRROR:-} $debian $PLACE ${DISK_SIZE:-}"
unless_made stock-guest "$(made_of "$here/pins.sh" "$here"/stock/*)"
disk=$work/disk.raw
root=$work/root

mounts() { awk -v root="$root" '$2 == root || index($2, root "/") == 1 { print $2 }' /proc/mounts | sort -r; }
before_cleanup() {
	mounts | while read -r path; do umount "$path" || umount -l "$path"; done
}

# Those of the packages that debian-cloud-images-packages names which are for any cloud.
packages=apparmor,apt-listchanges,apt-utils,bash-completion,bind9-host,ca-certificates,cloud-guest-utils,cloud-init,cloud-initramfs-growroot,curl,dbus,e2fsprogs,ethtool,initramfs-tools,iproute2,iputils-ping,kmod,less,libnss-resolve,libpam-systemd,linux-image-cloud-amd64,logrotate,lsb-release,nano,netbase,netplan.io,openssh-server,pciutils,procps,psmisc,screen,socat,sudo,systemd,systemd-sysv,systemd-resolved,systemd-timesyncd,tcpdump,traceroute,udev,unattended-upgrades,uuid-runtime,vim-tiny,whiptail,xz-utils

MIRROR=${MIRROR:-deb $debian bookworm main}
STOCK_FILES="$here/stock"
export STOCK_FILES
say "root file system by mmdebstrap"
bootstrap "$work/root.tar" "$packages" 'sh "$STOCK_FILES/customize.sh" "$1"'

say "file system"
truncate -s "${DISK_SIZE:-3G}" "$disk"
mkfs.ext4 -q -F -L stock-root -O ^64bit,^metadata_csum,^orphan_file "$disk" 2>/dev/null ||
	mkfs.ext4 -q -F -L stock-root -O ^64bit,^metadata_csum "$disk"
mkdir "$root"
mount -o loop,noatime "$disk" "$root"
tar -C "$root" --numeric-owner -xpf "$work/root.tar"

say "boot loader"
mkdir -p "$root/boot/extlinux"
cp "$here/stock/extlinux.conf" "$root/boot/extlinux/extlinux.conf"
extlinux --install "$root/boot/extlinux" >/dev/null 2>&1 || die "extlinux could not be installed"

mounts | while read -r path; do umount "$path"; done
[ -z "$(mounts)" ] || die "the disk could not be unmounted"
say "convert"
e2fsck -fp "$disk" >/dev/null || [ $? -le 1 ]
mkdir -p "$work/stock-guest/$(dirname "$PLACE")"
qemu-img convert -f raw -O qcow2 -o lazy_refcounts=on "$disk" "$work/stock-guest/$PLACE"
sha256sum <"$work/stock-guest/$PLACE" | cut -d ' ' -f 1 >"$work/stock-guest/sha256"
finish stock-guest

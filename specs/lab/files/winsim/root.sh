#!/bin/sh
# Fills the root file system $1 of the simulated Windows: the simulator $4 as the first
# process, the kernel below $3, and from the Debian root $2 busybox for DHCP and resize2fs
# for the disk.
set -eu
root=$1
debian=$2
kernel=$3
here=$(cd "$(dirname "$0")" && pwd)

for folder in bin boot dev etc lib64 proc run sbin state sys tmp; do mkdir -p "$root/$folder"; done
install -m 755 "$4" "$root/sbin/winsim"
install -m 755 "$debian/bin/busybox" "$root/bin/busybox"
install -m 755 "$here/lease.sh" "$root/sbin/lease"
ln -s /run/resolv.conf "$root/etc/resolv.conf"
ln -s busybox "$root/bin/sh"

# A program of Debian's with the libraries it asks for.
install -m 755 "$debian/sbin/resize2fs" "$root/sbin/resize2fs"
chroot "$debian" ldd /sbin/resize2fs | grep -o '/[^ ]*' | while read -r library; do
	install -D -m 755 "$debian$library" "$root$library"
done

cp "$kernel"/boot/vmlinuz-* "$root/boot/vmlinuz"
sh "$here/initrd.sh" "$debian/bin/busybox" "$kernel" "$root/boot/initrd"

#!/bin/sh
# Fills the root file system $1 of the simulated Windows: the simulator $4 as the first
# process, the kernel below $3, and from the Debian root $2 busybox for DHCP.
set -eu
root=$1
debian=$2
kernel=$3
here=$(cd "$(dirname "$0")" && pwd)

for folder in bin boot dev etc proc run sbin state sys tmp; do mkdir -p "$root/$folder"; done
install -m 755 "$4" "$root/sbin/winsim"
install -m 755 "$debian/bin/busybox" "$root/bin/busybox"
install -m 755 "$here/lease.sh" "$root/sbin/lease"
ln -s /run/resolv.conf "$root/etc/resolv.conf"
ln -s busybox "$root/bin/sh"

cp "$kernel"/boot/vmlinuz-* "$root/boot/vmlinuz"
sh "$here/initrd.sh" "$debian/bin/busybox" "$kernel" "$root/boot/initrd"

#!/bin/sh
# Runs on the root file system of the stock guest, given as $1, before it is packed.
set -eu
root=$1
files=$(cd "$(dirname "$0")" && pwd)
put() { install -D -m 644 "$files/$1" "$root/$2"; }

put cloud.cfg etc/cloud/cloud.cfg.d/01_debian_cloud.cfg
put debian.sources etc/apt/sources.list.d/debian.sources
rm -f "$root"/etc/apt/sources.list "$root"/etc/apt/sources.list.d/0000*
mkdir -p "$root/etc/apt/mirrors" # cloud-init writes the lists of mirrors
echo "LABEL=stock-root / ext4 rw,discard,errors=remount-ro 0 1" >"$root/etc/fstab"
ln -sf ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
systemctl --quiet --root="$root" enable systemd-networkd.service systemd-resolved.service ssh.service serial-getty@ttyS0.service

# Identity belongs to one machine, never to an image.
rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id" "$root/etc/hostname" "$root/var/lib/systemd/random-seed"
: >"$root/etc/machine-id"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/*.bin "$root"/var/lib/cloud
[ -e "$root/vmlinuz" ] && [ -e "$root/initrd.img" ] || { echo "there is no kernel with an initial RAM disk" >&2; exit 1; }

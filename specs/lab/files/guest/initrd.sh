#!/bin/sh
# Makes /boot/initrd of the root file system $1: busybox, the modules that the disk
# needs, and a script. Debian's own initial RAM disk has udev and 40 MB in it, which an
# emulated processor unpacks and starts for several seconds.
set -eu
root=$1
kernel=$(basename "$(ls -d "$root"/lib/modules/*)")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

mkdir -p "$tree/bin" "$tree/modules" "$tree/proc" "$tree/sys" "$tree/dev" "$tree/root"
cp "$root/bin/busybox" "$tree/bin/busybox"

# The disk and its file system; then what would otherwise arrive late: the network
# card, and the drive with the seed.
list=
for module in virtio_pci virtio_blk ext4 virtio_net virtio_scsi ata_piix sr_mod isofs virtio_rng; do
	list="$list
$(chroot "$root" modprobe --set-version "$kernel" --show-depends "$module" 2>/dev/null | awk '$1 == "insmod" { print $2 }')"
done
echo "$list" | awk 'NF && !seen[$0]++' | while read -r path; do
	cp "$root$path" "$tree/modules/"
	basename "$path"
done >"$tree/modules/order"

cat >"$tree/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t sysfs none /sys
while read -r module; do /bin/busybox insmod "/modules/$module"; done </modules/order
tries=0
until device=$(/bin/busybox findfs LABEL=kinit-root 2>/dev/null); do
	tries=$((tries + 1))
	if [ "$tries" -gt 300 ]; then
		echo "initrd: no file system with the label kinit-root" >/dev/console
		exec /bin/busybox sh </dev/console >/dev/console 2>&1
	fi
	/bin/busybox usleep 100000
done
/bin/busybox mount -t ext4 -o noatime "$device" /root
/bin/busybox mount -o move /dev /root/dev
/bin/busybox umount /proc
/bin/busybox umount /sys
exec /bin/busybox switch_root /root /sbin/init
INIT
chmod 755 "$tree/init"
# Not compressed: reading 5 MB more is quicker than unpacking them.
(cd "$tree" && find . | LC_ALL=C sort | cpio --quiet -o -H newc) >"$root/boot/initrd"
ln -sf "vmlinuz-$kernel" "$root/boot/vmlinuz"

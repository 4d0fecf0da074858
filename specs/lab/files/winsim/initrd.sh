#!/bin/sh
# Makes the initial RAM disk $3 of busybox $1 and modules of the kernel below $2: it finds
# the disk or the media, mounts them and starts the simulator.
set -eu
busybox=$1
kernel=$2
version=$(basename "$(ls -d "$kernel"/lib/modules/*)")
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT

depmod --basedir "$kernel" "$version"
mkdir -p "$tree/bin" "$tree/modules" "$tree/proc" "$tree/sys" "$tree/dev" "$tree/root"
cp "$busybox" "$tree/bin/busybox"
for module in virtio_pci virtio_blk virtio_scsi sd_mod ext4 virtio_net ata_piix ahci sr_mod isofs virtio_rng; do
	modprobe --dirname "$kernel" --set-version "$version" --show-depends "$module" | awk '$1 == "insmod" { print $2 }'
done | awk 'NF && !seen[$0]++' | while read -r path; do
	cp "$path" "$tree/modules/"
	basename "$path"
done >"$tree/modules/order"

cat >"$tree/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t devtmpfs none /dev
/bin/busybox mount -t proc none /proc
/bin/busybox mount -t sysfs none /sys
while read -r module; do /bin/busybox insmod "/modules/$module"; done </modules/order
# The boot loader says which of the two it was.
for word in $(/bin/busybox cat /proc/cmdline); do
	case $word in winsim.root=*) label=${word#*=} ;; esac
done
tries=0
until device=$(/bin/busybox findfs "LABEL=$label" 2>/dev/null); do
	tries=$((tries + 1))
	if [ "$tries" -gt 600 ]; then
		echo "winsim: no file system with the label $label" >/dev/console
		exec /bin/busybox sh </dev/console >/dev/console 2>&1
	fi
	/bin/busybox usleep 100000
done
case $label in
KINIT_WINSIM) /bin/busybox mount -t iso9660 -o ro "$device" /root ;;
*) /bin/busybox mount -t ext4 -o noatime "$device" /root ;;
esac
for folder in dev proc sys; do /bin/busybox mount -o move "/$folder" "/root/$folder"; done
exec /bin/busybox switch_root /root /sbin/winsim -guest -boot-time 2s -drop-time 2s
INIT
chmod 755 "$tree/init"
(cd "$tree" && find . | LC_ALL=C sort | cpio --quiet -o -H newc) >"$3"

#!/bin/sh
# Runs on the guest's root file system, given as $1, before it is packed.
set -eu
root=$1
files=$(cd "$(dirname "$0")" && pwd)
put() { install -D -m "${3:-644}" "$files/$1" "$root/$2"; }

put cloud.cfg etc/cloud/cloud.cfg
put sshd.conf etc/ssh/sshd_config.d/kinit-lab.conf
put dhcp.network etc/systemd/network/80-dhcp.network
put dhcp-mtu.conf etc/systemd/network/10-cloud-init-eth0.network.d/mtu.conf
put go.conf etc/systemd/system.conf.d/kinit-lab-go.conf
put journald.conf etc/systemd/journald.conf.d/kinit-lab.conf
put after-ssh.conf etc/systemd/system/containerd.service.d/after-ssh.conf
put after-ssh.conf etc/systemd/system/systemd-logind.service.d/after-ssh.conf
put ssh-fast.conf etc/systemd/system/ssh.service.d/fast.conf
put blacklist.conf etc/modprobe.d/kinit-lab.conf
put fstab etc/fstab
rm -f "$root"/etc/cloud/cloud.cfg.d/*_dpkg.cfg "$root"/etc/network/interfaces

# One data source, so nothing has to be searched for it; one process for all stages.
rm -f "$root/lib/systemd/system-generators/cloud-init-generator"
put cloud-init-once.py usr/local/sbin/cloud-init-once 755
put cloud-init-once.service etc/systemd/system/cloud-init-once.service
systemctl --quiet --root="$root" mask cloud-init-local.service cloud-init.service cloud-config.service cloud-final.service
systemctl --quiet --root="$root" enable cloud-init-once.service

# Where Kubernetes looks for CNI plugins, and where Debian puts them.
mkdir -p "$root/opt/cni"
ln -sfn /usr/lib/cni "$root/opt/cni/bin"

ln -sf ../run/systemd/resolve/stub-resolv.conf "$root/etc/resolv.conf"
systemctl --quiet --root="$root" enable systemd-networkd.service systemd-resolved.service ssh.service containerd.service
# Each costs an emulated processor a second or more and is useless here.
systemctl --quiet --root="$root" mask \
	systemd-networkd-wait-online.service systemd-pstore.service systemd-binfmt.service \
	systemd-udev-settle.service modprobe@efi_pstore.service modprobe@drm.service \
	modprobe@fuse.service modprobe@dm_mod.service modprobe@loop.service modprobe@configfs.service \
	sys-fs-fuse-connections.mount sys-kernel-config.mount systemd-journal-flush.service \
	systemd-random-seed.service systemd-sysusers.service \
	systemd-hwdb-update.service systemd-journal-catalog-update.service systemd-update-done.service \
	systemd-update-utmp.service systemd-update-utmp-runlevel.service \
	e2scrub_reap.service e2scrub_all.timer apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer \
	fstrim.timer man-db.timer getty@tty1.service serial-getty@ttyS0.service sys-kernel-debug.mount \
	sys-kernel-tracing.mount dev-hugepages.mount dev-mqueue.mount cloud-init-hotplugd.socket \
	proc-sys-fs-binfmt_misc.automount systemd-machine-id-commit.service ldconfig.service

# Identity belongs to one machine, never to an image.
rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id" "$root/etc/hostname" "$root/var/lib/systemd/random-seed"
: >"$root/etc/machine-id"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/apt/* "$root"/var/log/* "$root"/var/lib/cloud
mkdir -p "$root/var/log/journal" && rmdir "$root/var/log/journal"

sh "$files/initrd.sh" "$root"

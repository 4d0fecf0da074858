#!/bin/sh
# Runs on the hypervisor's root file system, given as $1, before it is packed.
set -eu
root=$1
files=$(cd "$(dirname "$0")" && pwd)

install -D -m 644 "$files/containers.conf" "$root/etc/containers/containers.conf"
install -D -m 644 "$files/storage.conf" "$root/etc/containers/storage.conf"
install -D -m 644 "$files/sshd.conf" "$root/etc/ssh/sshd_config.d/kinit-lab.conf"
install -D -m 644 "$files/journald.conf" "$root/etc/systemd/journald.conf.d/kinit-lab.conf"
install -D -m 644 "$files/no-kvm.conf" "$root/etc/systemd/system/libvirtd.service.d/no-kvm.conf"
install -D -m 755 "$files/underlay.sh" "$root/usr/local/sbin/kinit-lab-underlay"
install -D -m 644 "$files/kinit-lab-underlay.service" "$root/etc/systemd/system/kinit-lab-underlay.service"
install -D -m 755 "$files/cgroups.sh" "$root/usr/local/sbin/kinit-lab-cgroups"
install -D -m 644 "$files/kinit-lab-cgroups.service" "$root/etc/systemd/system/kinit-lab-cgroups.service"
install -D -m 644 "$files/kinit-lab-hostkeys.service" "$root/etc/systemd/system/kinit-lab-hostkeys.service"

# libvirt leaves control groups to systemd: with version 1 in a namespace it now and then
# looks for a guest's group before systemd has made it.
printf '\ncgroup_controllers = []\n' >>"$root/etc/libvirt/qemu.conf"

# Identity belongs to one machine, never to an image.
rm -f "$root"/etc/ssh/ssh_host_* "$root/etc/openvswitch/system-id.conf" "$root/etc/openvswitch/conf.db" "$root/etc/hostname"
: >"$root/etc/machine-id"
rm -f "$root/var/lib/dbus/machine-id"

# As on a freshly installed host where OVN is not set up yet: kinit enables it.
for unit in "$root"/lib/systemd/system/ovn-*.service; do
	systemctl --quiet --root="$root" disable "$(basename "$unit")" 2>/dev/null || true
done
systemctl --quiet --root="$root" enable \
	ssh.service openvswitch-switch.service libvirtd.service \
	kinit-lab-underlay.service kinit-lab-hostkeys.service kinit-lab-cgroups.service

# A privileged container shares the kernel and its devices with the machine, so what
# would set them up a second time stays off.
systemctl --quiet --root="$root" mask \
	systemd-udevd.service systemd-udev-trigger.service systemd-modules-load.service \
	getty.target console-getty.service systemd-binfmt.service systemd-remount-fs.service \
	systemd-networkd-wait-online.service NetworkManager-wait-online.service \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer fstrim.timer \
	man-db.timer podman-auto-update.timer
# The kernel's own settings are the machine's; systemd-sysctl itself stays, for what
# kinit writes below /etc/sysctl.d.
rm -f "$root"/usr/lib/sysctl.d/*.conf "$root"/lib/sysctl.d/*.conf

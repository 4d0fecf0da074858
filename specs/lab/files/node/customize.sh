#!/bin/sh
# Runs on the node's root file system, given as $1, before it is packed.
set -eu
root=$1
files=$(cd "$(dirname "$0")" && pwd)

install -D -m 644 "$files/sshd.conf" "$root/etc/ssh/sshd_config.d/kinit-lab.conf"

# Where Kubernetes looks for CNI plugins, and where Debian puts them.
mkdir -p "$root/opt/cni"
ln -sfn /usr/lib/cni "$root/opt/cni/bin"
systemctl --quiet --root="$root" enable ssh.service containerd.service

# Open vSwitch rests, and with it OVN: nodes that drivers make leave it to their hypervisor.
# A machine that exists starts the switch, with its address on a bridge as hypervisors have.
install -D -m 755 "$HYPERVISOR_FILES/underlay.sh" "$root/usr/local/sbin/kinit-lab-underlay"
install -D -m 644 "$HYPERVISOR_FILES/kinit-lab-underlay.service" "$root/etc/systemd/system/kinit-lab-underlay.service"
for unit in openvswitch-switch.service ovn-host.service ovn-controller.service; do
	systemctl --quiet --root="$root" disable "$unit" 2>/dev/null || true
done

# Identity belongs to one machine, never to an image; names and name servers are the
# container engine's.
rm -f "$root/etc/openvswitch/system-id.conf" "$root/etc/openvswitch/conf.db"
rm -f "$root"/etc/ssh/ssh_host_* "$root/var/lib/dbus/machine-id" "$root/etc/hostname" "$root/etc/resolv.conf" "$root/var/lib/systemd/random-seed"
: >"$root/etc/machine-id"
rm -rf "$root"/var/lib/apt/lists/* "$root"/var/cache/* "$root"/var/log/* "$root"/var/lib/dpkg/*-old

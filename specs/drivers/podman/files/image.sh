# Makes of a Debian image one that boots systemd as a node in a container.
set -eu
export DEBIAN_FRONTEND=noninteractive PATH=/usr/sbin:/usr/bin:/sbin:/bin
missing=
for package in ${join(" ", packages)}; do
	[ "$(dpkg-query -W -f '$${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing="$missing $package"
done
if [ -n "$missing" ]; then
	printf '#!/bin/sh\nexit 101\n' >/usr/sbin/policy-rc.d
	chmod 755 /usr/sbin/policy-rc.d
%{ if debian_mirror != "" ~}
	for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources; do
		[ ! -f "$file" ] || sed -i 's,https\?://\(deb\|security\)\.debian\.org/,${debian_mirror}/,' "$file"
	done
%{ endif ~}
	apt-get -q -o Acquire::Retries=3 -o APT::Update::Error-Mode=any update
	apt-get -q install -y --no-install-recommends $missing
	apt-get clean
	rm -rf /var/lib/apt/lists/* /usr/sbin/policy-rc.d
fi

# The kernel, its devices and the network are the hypervisor's: what would set them up a
# second time stays off.
for unit in \
	systemd-networkd.service systemd-networkd.socket systemd-networkd-wait-online.service systemd-resolved.service \
	systemd-udevd.service systemd-udevd-control.socket systemd-udevd-kernel.socket systemd-udev-trigger.service systemd-udev-settle.service \
	systemd-modules-load.service systemd-remount-fs.service systemd-binfmt.service systemd-timesyncd.service systemd-pstore.service \
	networking.service getty.target console-getty.service \
	cloud-init-local.service cloud-init.service cloud-config.service cloud-final.service \
	apt-daily.timer apt-daily-upgrade.timer dpkg-db-backup.timer e2scrub_all.timer e2scrub_reap.service fstrim.timer man-db.timer; do
	ln -sfn /dev/null "/etc/systemd/system/$unit"
done

# Containers mount what others are to see. After each start the node's mounts are private.
cat >/etc/systemd/system/kinit-mounts.service <<'UNIT'
[Unit]
Description=kinit: mounts that containers of this node share
DefaultDependencies=no
Before=sysinit.target

[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/mount --make-rshared /

[Install]
WantedBy=sysinit.target
UNIT
systemctl enable kinit-mounts.service ssh.service >/dev/null 2>&1

# Who the node is comes from its hypervisor.
mkdir -p /etc/ssh/sshd_config.d /etc/kinit
cat >/etc/ssh/sshd_config.d/10-kinit.conf <<'SSHD'
HostKey /etc/kinit/ssh_host_ed25519_key
AuthorizedKeysFile /etc/kinit/authorized_keys
PermitRootLogin prohibit-password
PasswordAuthentication no
KbdInteractiveAuthentication no
UseDNS no
SSHD
rm -f /etc/ssh/ssh_host_* /var/lib/dbus/machine-id
: >/etc/machine-id

# Shared by the builds of images that stand on busybox: sourced after lib.sh and oci.sh, never run.

# busybox_base FOLDER PACKAGES: sets base to the folder, and makes the layer "base" of it, with busybox'
# programs where no package has one. It is unpacked, never configured: the images need the files only.
# (mmdebstrap runs no hook then, so what follows is done here.)
busybox_base() {
	base=$1
	VARIANT=extract bootstrap "$base" "$2" true
	rm -rf "$base"/var/lib/dpkg "$base"/var/lib/apt "$base"/var/cache "$base"/usr/share/doc "$base"/etc/apt "$base"/dev "$base"/var/log
	# The names that the packages' scripts would have made.
	for name in iptables iptables-save iptables-restore ip6tables ip6tables-save ip6tables-restore; do
		ln -sf xtables-nft-multi "$base/usr/sbin/$name"
	done
	for applet in $("$base/bin/busybox" --list); do
		[ -e "$base/usr/bin/$applet" ] || [ -e "$base/usr/sbin/$applet" ] || [ -e "$base/sbin/$applet" ] || [ -e "$base/bin/$applet" ] ||
			ln -s /bin/busybox "$base/bin/$applet"
	done
	mkdir -p "$base/tmp" "$base/root" "$base/var/run" "$base/dev"
	chmod 1777 "$base/tmp"
	chroot "$base" /bin/sh -c 'iptables --version && nft --version && echo busybox is there' >/dev/null
	printf 'root:x:0:0:root:/root:/bin/sh\n' >"$base/etc/passwd"
	printf 'root:x:0:\n' >"$base/etc/group"
	oci_layer base "$base"
}

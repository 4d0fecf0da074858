
# The container runtime was the cluster's. Where no other one is installed, what it kept goes with it.
if ! [ -e /usr/bin/containerd ] && ! [ -e /usr/sbin/containerd ]; then
	systemctl stop containerd.service 2>/dev/null || true
	# systemd would list the unit as failed after its file is gone.
	systemctl reset-failed containerd.service 2>/dev/null || true
	mount | awk '$3 ~ "^/run/containerd/" { print $3 }' | sort -r | while read -r path; do umount "$path" || umount -l "$path"; done
	rm -rf /var/lib/containerd /run/containerd /opt/containerd
fi

#!/bin/sh
# Takes away the folders of control groups that are not mounted. systemd makes one for each
# controller of version 1 that the kernel has; where the machine has not mounted it, a
# container cannot, and podman takes the folder for the controller.
set -eu
cd /sys/fs/cgroup
[ "$(stat -f -c %T .)" = tmpfs ] || exit 0
mount -o remount,rw .
for name in *; do
	if [ ! -L "$name" ] && ! mountpoint -q "$name"; then rmdir "$name" || true; fi
done
for name in *; do
	if [ -L "$name" ] && [ ! -e "$name" ]; then rm "$name"; fi
done
mount -o remount,ro .

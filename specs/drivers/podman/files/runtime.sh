#!/bin/sh
# Prints the OCI runtime that can start systemd in a container on this machine.
# crun refuses hybrid cgroups (version 1 controllers beside a version 2 tree), runc
# takes them; on a machine with cgroups version 2 alone either will do.
set -eu
kind=$(stat -f -c %T /sys/fs/cgroup)
for runtime in crun runc; do
	command -v "$runtime" >/dev/null 2>&1 || continue
	if [ "$kind" != cgroup2fs ] && [ "$runtime" = crun ]; then
		continue
	fi
	echo "$runtime"
	exit 0
done
echo "no OCI runtime that fits these cgroups ($kind): install the Debian package runc" >&2
exit 1

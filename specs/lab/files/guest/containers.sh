#!/bin/sh
# Imports the images of the OCI layout that is mounted at /run/images of the root file
# system $1 into its containerd, with a containerd of its own run in that root.
set -eu
root=$1
PATH=/usr/sbin:/usr/bin:/sbin:/bin

mkdir -p "$root/run/bake"
cat >"$root/run/bake/config.toml" <<'CONFIG'
version = 2
root = "/var/lib/containerd"
state = "/run/bake/state"
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]
[grpc]
  address = "/run/bake/containerd.sock"
CONFIG
# Not by a function: its process would be a shell, and the signal would miss the daemon.
chroot "$root" containerd --config /run/bake/config.toml >"$root/run/bake/log" 2>&1 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true' EXIT
ctr() { chroot "$root" ctr --address /run/bake/containerd.sock --namespace k8s.io "$@"; }
tries=0
until ctr version >/dev/null 2>&1; do
	tries=$((tries + 1))
	[ "$tries" -le 100 ] || { cat "$root/run/bake/log" >&2; exit 1; }
	sleep 0.1
done
# One archive for all: the layers they share are read and unpacked once.
tar -C "$root/run/images" -cf - . | ctr images import --snapshotter overlayfs --all-platforms - >/dev/null
ctr images ls -q
kill "$daemon"
wait "$daemon" 2>/dev/null || true
trap - EXIT
umount "$root/run/images"
rm -rf "$root/run/bake" "$root/run/images"

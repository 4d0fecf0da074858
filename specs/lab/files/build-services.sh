#!/bin/sh
# Builds the image of the services pod from Debian packages: HAProxy, BIND, the
# registry and nginx in one image, started with different commands.
#
#   build-services.sh OUTPUT_DIR
#
# Result: OUTPUT_DIR/services.tar, an OCI archive for `podman load`, and the image's
# name in OUTPUT_DIR/services.ref. Commands and paths are those of the upstream
# images (see ../README.md), so a spec differs in the image's name only.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"

need mmdebstrap mmdebstrap
need zstd zstd

begin "${1:-}"
settings=${MIRROR:-}
unless_made services.ref "$(made_of)"
image=localhost/kinit-lab-services:$inputs

cat >"$work/customize.sh" <<'HOOK'
set -eu
# The name and the paths that the upstream registry image has.
ln -s docker-registry "$1/usr/bin/registry"
mkdir -p "$1/usr/local/etc/haproxy" "$1/etc/docker/registry" "$1/var/lib/registry" "$1/srv/www"
# Kept out: what package managers leave, and keys of this build.
rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/* "$1"/var/log/* "$1"/var/lib/dpkg/*-old "$1/etc/bind/rndc.key"
rm -f "$1/etc/machine-id" "$1/etc/hostname" "$1/etc/resolv.conf"
mkdir -p "$1/var/cache/bind" "$1/var/cache/nginx" "$1/var/log/nginx"
chroot "$1" chown bind:bind /var/cache/bind
HOOK

say "root file system by mmdebstrap"
HOOK_FILE="$work/customize.sh"
export HOOK_FILE
bootstrap "$work/root.tar" \
	haproxy,bind9,docker-registry,nginx,apache2-utils,openssl,ca-certificates \
	'sh "$HOOK_FILE" "$1"'

say "pack"
layout=$work/layout
oci_begin
oci_layer root "$work/root.tar"
oci_image "$image" '{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Cmd":["haproxy","-v"]}' root
oci_end
tar -C "$layout" -cf "$work/services.tar" oci-layout index.json blobs
echo "$image" >"$work/services.ref"
say "$image"
finish services.tar services.ref

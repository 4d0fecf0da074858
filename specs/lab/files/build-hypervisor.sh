#!/bin/sh
# Builds the lab's hypervisor: a container image that boots systemd and holds what
# a freshly installed Debian hypervisor holds, as kinit's prepare stage expects it.
#
#   build-hypervisor.sh OUTPUT_DIR
#
# Result: the image localhost/kinit-lab-hypervisor:TAG in podman's storage, and its
# name in OUTPUT_DIR/hypervisor.ref. TAG is a digest of the inputs: an image that is
# there already is not built again.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/pins.sh"

need mmdebstrap mmdebstrap
need podman podman

begin "${1:-}"
settings="${MIRROR:-} $debian"
inputs=$(made_of "$here/pins.sh" "$here/backports.sh" "$here"/hypervisor/*)
image=localhost/kinit-lab-hypervisor:$inputs

if podman image exists "$image"; then
	say "$image is there already"
	[ "$(cat "$out/hypervisor.ref" 2>/dev/null)" = "$image" ] || echo "$image" >"$out/hypervisor.ref"
	exit 0
fi

# The packages that kinit's prepare stage installs on a real hypervisor are here
# already, because the lab has no package mirror at run time.
base=systemd,systemd-sysv,dbus,openssh-server,ca-certificates,curl,openssl,procps,kmod,zstd
network=iproute2,iptables,nftables,ethtool,iputils-ping,bind9-dnsutils,tcpdump,socat,keepalived
virtual=libvirt-daemon-system,libvirt-clients,qemu-system-x86,qemu-utils
overlay=openvswitch-switch,ovn-central,ovn-host
containers=podman,crun,runc,catatonit,netavark,aardvark-dns,conmon,uidmap,skopeo

# Bookworm's own QEMU 7.2 now and then runs code that the guest has just replaced: a
# guest with two emulated processors then spins at boot, in the kernel's text_poke.
# QEMU 8.1 locks the pages of what it translates.
BACKPORTS="qemu-system-* qemu-utils qemu-block-extra seabios"

say "root file system by mmdebstrap"
HYPERVISOR_FILES="$here/hypervisor"
export HYPERVISOR_FILES debian
bootstrap "$work/root.tar" "$base,$network,$virtual,$overlay,$containers" \
	'sh "$HYPERVISOR_FILES/customize.sh" "$1"'

say "import into podman"
# An unpacked temporary name first: import commits the tag as its last step.
podman import --quiet \
	--change 'CMD ["/sbin/init"]' \
	--change 'STOPSIGNAL SIGRTMIN+3' \
	"$work/root.tar" "$image" >/dev/null
echo "$image" >"$work/hypervisor.ref"
say "$image: $(podman image inspect --format '{{.Size}}' "$image") bytes"
finish hypervisor.ref

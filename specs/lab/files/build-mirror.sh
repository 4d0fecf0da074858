#!/bin/sh
# Builds what the lab's mirrors serve, under the layouts of the sites that they stand for: a
# part of Debian's archive with Debian's own signatures, the release site of Kubernetes, the
# releases of a container runtime, and a registry with the images of other registries.
#
#   PROGRAMS=FOLDER PINS="NAME=IMAGE:TAG…" RELEASES="NAME=PATH…" build-mirror.sh OUTPUT_DIR
#
# PROGRAMS holds the programs of Kubernetes, as programs.sh says. PINS are the images that
# clusters fetch by default, by their names. RELEASES are the files of the container runtime,
# by their places on github.com. OUTPUT_DIR has images/ and services.tar. What is of the addons is
# built where it is missing. Where calico/ and further-addons/ are there, they are served too.
#
# Result: OUTPUT_DIR/mirror with
#   debian/            dists/ and pool/
#   release/VERSION/   bin/linux/amd64/PROGRAM, and PROGRAM.sha256
#   github/            the files of RELEASES, in upstream's layout with Debian's programs, the release of
#                      node_exporter, built from its Go module, and Calico's manifests
#   registry/          the storage of a registry, whose repository paths begin with the upstream registry
#   digests.txt        NAME sha256:DIGEST for each of PINS and RELEASES, for each program of the release site, and each manifest
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
. "$here/oci.sh"
. "$here/programs.sh"
. "$here/pins.sh"

need mmdebstrap mmdebstrap
need skopeo skopeo
need docker-registry docker-registry
need go golang
[ "$(id -u)" = 0 ] || die "needs root: it runs programs in root file systems"
begin "${1:-}"
programs=${PROGRAMS:-$out}
missing=$(programs_missing "$programs" kubeadm kubelet kubectl)
[ -z "$missing" ] || die "$missing is missing: build it first"
[ -d "$out/images" ] && [ -f "$out/services.tar" ] || die "images and services.tar are missing: build them first"
sh "$here/build-addons.sh" "$out"
# What is built for labs that are to have everything; of other versions than the pinned ones it is useless.
served="images addons"
has() { grep -qxF "$(pinned "$2" image):$(pinned "$2" version)" "$out/$1/images.txt" 2>/dev/null; }
if has calico/images calico_node; then served="$served calico/images"; fi
if has further-addons traefik && has further-addons node_problem_detector; then served="$served further-addons"; fi
settings="${MIRROR:-} $debian ${PINS:-} ${RELEASES:-} $(programs_digest "$programs" kubeadm kubelet kubectl) $(cat "$out/services.ref.inputs")"
settings="$settings $(for folder in $served; do cat "$out/${folder%%/*}.inputs"; done)"
unless_made mirror "$(made_of "$here/programs.sh" "$here/mirror-archive.sh" "$here/mirror-runtime.sh" "$here/mirror-exporter.sh" "$here/pins.sh")"
mirror=$work/mirror
# pin NAME: the image of one of PINS.
pin() {
	for named in ${PINS:-}; do [ "${named%%=*}" != "$1" ] || echo "${named#*=}"; done
}
mkdir -p "$mirror/debian" "$mirror/github" "$mirror/registry"

# What nodes that are containers install, and whatever that needs.
stock_packages=systemd,systemd-sysv,dbus,openssh-server,ca-certificates,curl,kmod,procps,iproute2,iputils-ping,bind9-dnsutils,ethtool,iptables,nftables
# What the examples of roles install.
role_packages=nginx,docker.io
# The main suite alone: the lists of the others are valid for a week only, and a lab stays longer.
MIRROR=${MIRROR:-deb $debian bookworm main}
say "Debian's packages, and releases of a container runtime with their programs"
ARCHIVE=$mirror/debian SITE=$mirror/github DIGESTS=$mirror/digests.txt
export ARCHIVE SITE DIGESTS RELEASES
bootstrap "$work/packages.tar" "$stock_packages,$node_packages,$role_packages" "sh $here/mirror-archive.sh \"\$1\" && sh $here/mirror-runtime.sh \"\$1\""
rm "$work/packages.tar"

say "node_exporter"
SITE=$mirror/github WORK=$work sh "$here/mirror-exporter.sh"

say "Debian's image"
cat >"$work/customize.sh" <<'HOOK'
set -eu
rm -rf "$1"/var/lib/apt/lists/* "$1"/var/cache/apt/*.bin "$1/etc/apt/sources.list"
cat >"$1/etc/apt/sources.list.d/debian.sources" <<SOURCES
Types: deb
URIs: $debian
Suites: bookworm
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
SOURCES
: >"$1/etc/machine-id"
rm -f "$1/etc/hostname" "$1/etc/resolv.conf"
HOOK
HOOK_FILE=$work/customize.sh
export HOOK_FILE debian
bootstrap "$work/debian.tar" debian-archive-keyring 'sh "$HOOK_FILE" "$1"'
layout=$work/layout
oci_begin
oci_layer debian "$work/debian.tar"
node_image=$(pin debian_node)
oci_image "$node_image" '{"Env":["PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"],"Cmd":["bash"]}' debian
oci_end

say "the release site"
ln -s "$(program_file "$(cd "$programs" && pwd)" kubeadm)" "$work/kubeadm"
version=$("$work/kubeadm" version -o short)
site=$mirror/release/$version/bin/linux/amd64
mkdir -p "$site"
for program in kubeadm kubelet kubectl; do
	ln "$(program_file "$programs" "$program")" "$site/$program" 2>/dev/null || cp "$(program_file "$programs" "$program")" "$site/$program"
	sum=$(sha256sum "$site/$program" | cut -d ' ' -f 1)
	printf '%s' "$sum" >"$site/$program.sha256"
	for distribution in "" eksd_; do echo "$distribution$program sha256:$sum"; done >>"$mirror/digests.txt"
done

case "$served" in
*calico*)
	say "Calico's manifests"
	for file in definitions=crds.yaml manifest=calico-vxlan.yaml; do
		place=$(pinned "calico_${file%%=*}" url | sed 's,^https\?://[^/]*/,,')
		install -D -m 644 "$out/calico/manifests/${file#*=}" "$mirror/github/$place"
		echo "calico_${file%%=*} sha256:$(sha256sum "$mirror/github/$place" | cut -d ' ' -f 1)" >>"$mirror/digests.txt"
	done
	;;
esac

say "the registry"
socket=127.0.0.1:$(shuf -i 20000-30000 -n 1)
cat >"$work/registry.yml" <<YAML
version: 0.1
log: {level: warn}
storage: {filesystem: {rootdirectory: $mirror/registry}}
http: {addr: $socket}
YAML
docker-registry serve "$work/registry.yml" >"$work/registry.log" 2>&1 &
registry=$!
before_cleanup() { kill "$registry" 2>/dev/null; }
tries=0
until curl --silent --fail --output /dev/null "http://$socket/v2/"; do
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] && kill -0 "$registry" || die "the registry does not answer: $(cat "$work/registry.log")"
	sleep 0.1
done
# put SOURCE NAME: an image to the place of its name.
put() { skopeo copy --quiet --preserve-digests --dest-tls-verify=false "$1" "docker://$socket/$2"; }
put "oci:$layout:$node_image" "$node_image"
for folder in $served; do
	while read -r image; do put "oci:$out/$folder:$image" "$image"; done <"$out/$folder/images.txt"
done
for pin in ${PINS:-}; do
	image=${pin#*=}
	case "$image" in
	*/haproxy:* | */bind9:* | */registry:* | */nginx:*) put "oci-archive:$out/services.tar" "$image" ;;
	*/library/busybox:*) put "oci:$out/images:$(grep /busybox: "$out/images/images.txt")" "$image" ;;
	*/eks-distro/*) # another vendor's names for the same
		name=${image##*/}
		put "oci:$out/images:$(grep "/${name%%:*}:" "$out/images/images.txt")" "$image"
		;;
	esac
	digest=$(skopeo inspect --tls-verify=false --format '{{.Digest}}' "docker://$socket/$image" 2>/dev/null) || continue
	echo "${pin%%=*} $digest" >>"$mirror/digests.txt"
done
kill "$registry"
wait "$registry" 2>/dev/null || true
finish mirror

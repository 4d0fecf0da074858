# Shared by the build scripts of the lab: sourced, never run.
# Each script is `build-X.sh OUTPUT_DIR`; what it makes appears there under its
# final name only when it is complete, so an interrupted build is never used.

say() { printf '%s: %s\n' "${0##*/}" "$*"; }
die() { say "$*" >&2; exit 1; }

# need COMMAND PACKAGE: fail early, and say what to install.
need() {
	command -v "$1" >/dev/null 2>&1 || die "needs the command $1: install the Debian package $2"
}

# begin OUTPUT_DIR: make the output folder and a work folder beside it (same file
# system, so that the last step is a rename) that goes away whatever happens.
begin() {
	[ -n "${1:-}" ] || die "usage: ${0##*/} OUTPUT_DIR"
	mkdir -p "$1"
	out=$(cd "$1" && pwd)
	# What a killed build left; not that of one that may be running.
	find "$out" -maxdepth 1 -name ".${0##*/}.*" -mmin +180 -exec rm -rf --one-file-system {} + 2>/dev/null || true
	work=$(mktemp -d "$out/.${0##*/}.XXXXXX")
	chmod 755 "$work"
	started=$(date +%s)
	trap cleanup EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM HUP
}

# cleanup runs once, on any exit. A script with mounts defines before_cleanup.
cleanup() {
	status=$?
	trap - EXIT
	if command -v before_cleanup >/dev/null 2>&1; then before_cleanup || true; fi
	rm -rf --one-file-system "$work"
	exit "$status"
}

# finish NAME...: move what is in the work folder to its final place.
finish() {
	for name in "$@"; do
		rm -rf "${out:?}/$name.old" "${out:?}/$name.inputs"
		[ ! -d "$out/$name" ] || mv "$out/$name" "$out/$name.old"
		mv "$work/$name" "$out/$name"
		rm -rf "${out:?}/$name.old"
		[ -z "${inputs:-}" ] || echo "$inputs" >"$out/$name.inputs"
	done
	say "done in $(($(date +%s) - started)) s: $(du -csh $(printf "$out/%s " "$@") | tail -n 1 | cut -f 1) in $*"
}

# digest FILE...: a short name for the content of the inputs.
digest() { cat "$@" | sha256sum | cut -c 1-12; }

# made_of FILE...: the digest of this script, its libraries, the files given and the
# words in $settings. A file that a build made counts by what it was made of.
made_of() {
	{
		cat "$0" "$here/lib.sh" "$here/oci.sh"
		echo "${settings:-}"
		for made_file in "$@"; do
			if [ -f "$made_file.inputs" ]; then cat "$made_file.inputs"; else cat "$made_file"; fi
		done
	} | sha256sum | cut -c 1-12
}

# unless_made NAME DIGEST: end here if NAME was made of the same before; if not,
# finish notes the digest in NAME.inputs.
unless_made() {
	inputs=$2
	if [ -e "$out/$1" ] && [ "$(cat "$out/$1.inputs" 2>/dev/null)" = "$2" ]; then
		say "$1 is there already"
		exit 0
	fi
}

# What every node has, as a guest or as a container.
system_packages=systemd,systemd-sysv,dbus,kmod,procps,iproute2,iputils-ping,ca-certificates,curl,sudo,bind9-dnsutils,zstd,openssh-server
node_programs="kubeadm kubelet kubectl flannel-cni"
node_packages=containerd,runc,containernetworking-plugins,iptables,nftables,conntrack,ethtool,socat,ipset,ebtables

# bootstrap TARGET PACKAGES HOOK: a Debian 12 root file system without documentation.
# The hook is a script that is given the root folder. Recommended packages stay out.
# MIRROR (a sources.list line or an address) replaces mmdebstrap's default mirror.
# BACKPORTS names the packages that are taken from bookworm-backports.
bootstrap() {
	backports_mirror=$(echo "${MIRROR:-}" | grep -o 'https\?://[^ ]*' | head -n 1)
	export BACKPORTS backports_mirror
	mmdebstrap --quiet --variant="${VARIANT:-minbase}" \
		--include="$2" \
		--aptopt='Acquire::Retries "3"' \
		--aptopt='Acquire::Languages "none"' \
		--dpkgopt='force-unsafe-io' \
		--dpkgopt='path-exclude=/usr/share/man/*' \
		--dpkgopt='path-exclude=/usr/share/doc/*' \
		--dpkgopt='path-exclude=/usr/share/info/*' \
		--dpkgopt='path-exclude=/usr/share/locale/*' \
		--dpkgopt='path-exclude=/usr/share/bug/*' \
		--dpkgopt='path-exclude=/usr/share/lintian/*' \
		${BACKPORTS:+--setup-hook="sh $here/backports.sh \"\$1\""} \
		--customize-hook="$3" \
		bookworm "$1" ${MIRROR:+"$MIRROR"}
}

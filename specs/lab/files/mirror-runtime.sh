# mirror-runtime.sh ROOT: the releases of a container runtime in $SITE, each at its place on
# github.com, as $RELEASES (NAME=PATH…) says. They have upstream's names and layout, and the
# programs of Debian's packages that are installed in ROOT, whatever version the names say: no
# program of upstream's is to be had here. Adds NAME sha256:DIGEST to $DIGESTS.
#
# crictl is in no package of Debian 12: in its archive is a script that says so.
set -eu
root=$1
parts=$(mktemp -d "$SITE/.parts.XXXXXX")
trap 'rm -rf "$parts"' EXIT

# pack FILE FOLDER NAME...: an archive that is the same each time.
pack() {
	archive=$1 folder=$2
	shift 2
	tar -C "$folder" --sort=name --owner=0 --group=0 --numeric-owner --mtime=@0 -c "$@" | gzip -n >"$archive"
}

for release in ${RELEASES:-}; do
	name=${release%%=*} file=$SITE/${release#*=}
	mkdir -p "$(dirname "$file")" "$parts/$name"
	case "$name" in
	containerd)
		mkdir "$parts/$name/bin"
		cp "$root/usr/bin/containerd" "$root/usr/bin/containerd-shim-runc-v2" "$root/usr/bin/ctr" "$parts/$name/bin/"
		pack "$file" "$parts/$name" bin
		;;
	runc) install -m 644 "$root/usr/sbin/runc" "$file" ;;
	cni_plugins)
		cp "$root"/usr/lib/cni/* "$parts/$name/"
		pack "$file" "$parts/$name" .
		;;
	crictl)
		printf '#!/bin/sh\necho "This lab has no crictl, only a script in its place." >&2\nexit 1\n' >"$parts/$name/crictl"
		chmod 755 "$parts/$name/crictl"
		pack "$file" "$parts/$name" crictl
		;;
	*)
		echo "RELEASES has $name, which this script does not know" >&2
		exit 1
		;;
	esac
	echo "$name sha256:$(sha256sum "$file" | cut -d ' ' -f 1)" >>"$DIGESTS"
done

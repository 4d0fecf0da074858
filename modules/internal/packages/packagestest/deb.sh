mkdir -p "$1" && cd "$1" || exit; name=$2; shift 2
for version; do
	mkdir -p "/tmp/deb/$version/DEBIAN"
	printf 'Package: %s\nVersion: %s\nArchitecture: all\nMaintainer: Test <test@example>\nDescription: empty\n' "$name" "$version" \
		>"/tmp/deb/$version/DEBIAN/control"
	if [ -n "${needs:-}" ]; then # its data goes when it is purged
		echo "Depends: $needs" >>"/tmp/deb/$version/DEBIAN/control"
		# shellcheck disable=SC2016 # the script that is written expands it
		printf '#!/bin/sh\n[ "$1" != purge ] || rm -r /srv/%s\n' "$name" >"/tmp/deb/$version/DEBIAN/postrm"
		chmod 0755 "/tmp/deb/$version/DEBIAN/postrm"
	fi
	dpkg-deb --root-owner-group -b "/tmp/deb/$version" . >/dev/null
	rm -r "/tmp/deb/$version"
done
for deb in *.deb; do
	dpkg-deb -f "$deb"
	printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "$deb" "$(stat -c %s "$deb")" "$(sha256sum "$deb" | cut -d" " -f1)"
done >Packages

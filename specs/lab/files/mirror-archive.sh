# mirror-archive.sh ROOT: copies to $ARCHIVE the packages that were installed in ROOT, and the
# lists of Debian's archive that have them, as its servers have both.
set -eu
root=$1
# The compressed lists: apt keeps them only unpacked, and the signed Release names both.
chroot "$root" apt-get indextargets --format '$(CREATED_BY) $(BASE_URI) $(METAKEY) $(FILENAME)' | while read -r kind base key file; do
	case "$kind" in Packages | Translations) ;; *) continue ;; esac
	suite=${base%/}
	suite=${suite##*/dists/}
	folder=$ARCHIVE/dists/$suite
	mkdir -p "$folder/$(dirname "$key")"
	[ -e "$folder/InRelease" ] || chroot "$root" /usr/lib/apt/apt-helper -qq download-file "${base}InRelease" /tmp/mirror-file
	[ -e "$folder/InRelease" ] || mv "$root/tmp/mirror-file" "$folder/InRelease"
	chroot "$root" /usr/lib/apt/apt-helper -qq download-file "$base$key.xz" /tmp/mirror-file || continue
	mv "$root/tmp/mirror-file" "$folder/$key.xz"
	sum=$(sha256sum "$folder/$key.xz" | cut -d ' ' -f 1)
	mkdir -p "$folder/$(dirname "$key")/by-hash/SHA256"
	ln -f "$folder/$key.xz" "$folder/$(dirname "$key")/by-hash/SHA256/$sum"
done
# Where the archive has each package is in its list, by the checksum.
for list in "$ARCHIVE"/dists/*/main/binary-amd64/Packages.xz; do xz -dc "$list"; done |
	awk '$1 == "Filename:" { file = $2 } $1 == "SHA256:" { print $2, file }' >"$root/tmp/mirror-places"
for package in "$root"/var/cache/apt/archives/*.deb; do
	place=$(grep "^$(sha256sum "$package" | cut -d ' ' -f 1) " "$root/tmp/mirror-places" | cut -d ' ' -f 2 | head -n 1)
	[ -n "$place" ] || continue
	mkdir -p "$ARCHIVE/$(dirname "$place")"
	cp "$package" "$ARCHIVE/$place"
done
rm -f "$root/tmp/mirror-places"

folder=$1; name=$2; version=$3
mkdir -p "$folder" /tmp/pacman /tmp/pacman-db
cd /tmp/pacman || exit
printf 'pkgname = %s\npkgbase = %s\npkgver = %s\npkgdesc = empty\nurl = https://example.org\nbuilddate = 1\npackager = none\nsize = 0\narch = any\nlicense = none\n' \
	"$name" "$name" "$version" >.PKGINFO
[ -z "${needs:-}" ] || echo "depend = $needs" >>.PKGINFO
file=$name-$version-any.pkg.tar.gz
tar -czf "$folder/$file" .PKGINFO
rm -rf /tmp/pacman-db/"$name"-[0-9]*; mkdir -p "/tmp/pacman-db/$name-$version"
printf '%%FILENAME%%\n%s\n\n%%NAME%%\n%s\n\n%%VERSION%%\n%s\n\n%%CSIZE%%\n%s\n\n%%ISIZE%%\n0\n\n%%SHA256SUM%%\n%s\n\n%%ARCH%%\nany\n\n' \
	"$file" "$name" "$version" "$(stat -c %s "$folder/$file")" "$(sha256sum "$folder/$file" | cut -d' ' -f1)" >"/tmp/pacman-db/$name-$version/desc"
[ -z "${needs:-}" ] || printf '%%DEPENDS%%\n%s\n\n' "$needs" >>"/tmp/pacman-db/$name-$version/desc"
cd /tmp/pacman-db || exit
was=$(stat -c %Y "$folder/test.db" 2>/dev/null || echo 0)
tar -czf "$folder/test.db" -- *
# pacman reads a list again only if it is newer, in whole seconds.
[ "$(stat -c %Y "$folder/test.db")" -gt "$was" ] || touch -d "@$((was + 1))" "$folder/test.db"
mkdir -p /var/lib/pacman
printf '[options]\nArchitecture = auto\nSigLevel = Never\nLocalFileSigLevel = Never\n[test]\nServer = file://%s\n' "$folder" >/etc/pacman.conf

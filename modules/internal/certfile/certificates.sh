# certificates PATTERN...: the certificates of files, each file after a line with its name. Keys
# that are in the same files stay there, also behind a certificate without an end.
IFS=
for pattern in "$@"; do
	for file in $pattern; do
		[ -f "$file" ] || continue
		printf 'file %s\n' "$file"
		sed -n \
			-e '/^-----BEGIN CERTIFICATE-----/,/^-----/p' \
			-e 's/^ *client-certificate-data: *\([A-Za-z0-9+/=]*\) *$/data \1/p' \
			"$file" || exit 1
	done
done

mkdir -p "$1" /tmp/rpm; folder=$1; name=$2; shift 2
for version; do
	printf 'Name: %s\nVersion: %s\nRelease: 1\nSummary: empty\nLicense: none\nBuildArch: noarch\n%s%%description\nempty\n%%files\n' \
		"$name" "$version" "${needs:+Requires: $needs
}" >/tmp/rpm/spec
	rpmbuild --quiet -bb --define "_topdir /tmp/rpm" --define "_rpmdir $folder" /tmp/rpm/spec
done
createrepo_c -q "$folder"

# Prints the name of this host's system among those in the arguments: its ID and version, its ID, or
# those of the family that it belongs to. os-release(5) has them.
# shellcheck disable=SC1091
. /etc/os-release
major=${VERSION_ID%%.*}
for id in $ID $ID_LIKE; do
	case $id in
	debian | ubuntu) families="$families debian" ;;
	rhel | fedora | centos) families="$families rhel" ;;
	esac
done
for one in $ID $families; do
	for name in "$one-$major" "$one"; do
		for known; do
			[ "$name" != "$known" ] || { printf %s "$name" && exit; }
		done
	done
done
echo "kinit prepares hypervisors with Debian, Ubuntu, Fedora, RHEL 9 and 10 and what is made from them; this one has ${PRETTY_NAME:-$ID}." >&2
exit 1

# Disables the unit $1, and deletes the rules with the comment $2 from the chains that follow.
set -e
unit=$1 comment=$2
shift 2
if [ -e "/etc/systemd/system/$unit" ]; then
	systemctl disable "$unit" 2>/dev/null
	if [ -d /run/systemd/system ]; then systemctl stop "$unit"; fi
fi
command -v nft >/dev/null || exit 0
for chain; do
	# The words of a chain are family, table and name.
	# shellcheck disable=SC2086
	handles=$(nft --handle list chain $chain 2>/dev/null | awk -v comment="$comment" 'index($0, comment) { print $NF }') || continue
	for handle in $handles; do
		# shellcheck disable=SC2086
		nft delete rule $chain handle "$handle"
	done
done

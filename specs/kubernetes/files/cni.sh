# cni.sh check|link: plugins of the package containernetworking-plugins where containerd and
# the network of pods expect them. Distributions that have them there already need nothing.
set -eu
from=/usr/lib/cni to=/opt/cni/bin
[ -d "$from" ] && ! [ "$from" -ef "$to" ] || exit 0
[ "$1" = check ] || mkdir -p "$to"
for plugin in "$from"/*; do
	[ -e "$to/${plugin##*/}" ] && continue
	[ "$1" = link ] || { echo "$to lacks ${plugin##*/}"; exit 1; }
	ln -sfn "$plugin" "$to/${plugin##*/}"
done

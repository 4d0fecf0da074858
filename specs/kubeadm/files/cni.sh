# cni.sh check|link FROM: plugins of the folder FROM where containerd and the network of pods
# expect them. Distributions that have them there already need nothing. Foreign plugins stay;
# links that this has made lead to FROM.
set -eu
from=$2 to=/opt/cni/bin
[ -d "$from" ] && ! [ "$from" -ef "$to" ] || exit 0
[ "$1" = check ] || mkdir -p "$to"
for plugin in "$from"/*; do
	[ -x "$plugin" ] || continue # releases have their licence beside them
	link=$to/${plugin##*/}
	case "$(readlink "$link" || true)" in
	"$plugin") continue ;;
	/usr/lib/cni/* | /usr/local/lib/kinit/*) ;;
	*) [ ! -e "$link" ] || continue ;;
	esac
	[ "$1" = link ] || { echo "$to lacks ${plugin##*/} of $from"; exit 1; }
	ln -sfn "$plugin" "$link"
done

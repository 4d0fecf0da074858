# Prints the first disk image that is based on the image $1. The others are the files and folders to look in.
image=$1
shift
find "$@" -maxdepth 1 -type f -size +0 ! -path "$image" -print 2>/dev/null | while IFS= read -r disk; do
	[ "$(head -c 3 "$disk" 2>/dev/null)" = QFI ] || continue
	# shellcheck disable=SC2046 # the bytes of two numbers: where the name is, and how long it is
	set -- $(od -A n -t u1 -j 12 -N 8 "$disk")
	[ $# -eq 8 ] || continue
	at=$(((($1 * 256 + $2) * 256 + $3) * 256 + $4)) size=$(((($5 * 256 + $6) * 256 + $7) * 256 + $8))
	if [ "$at" -eq 0 ] || [ "$size" -eq 0 ] || [ "$size" -gt 1023 ]; then continue; fi
	base=$(tail -c "+$((at + 1))" "$disk" | head -c "$size")
	case $base in
	/* | json:*) ;;
	*) base=${disk%/*}/$base ;;
	esac
	case $base in
	"$image" | json:*"\"$image\""*)
		printf '%s\n' "$disk"
		break
		;;
	esac
done

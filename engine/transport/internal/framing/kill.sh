kill "-$1" "-$2"
for f in /proc/[0-9]*/stat; do
	read -r s <"$f" || continue
	# shellcheck disable=SC2086 # fields
	set -- "$1" "$2" ${s##*) }
	[ "$6" = "$2" ] || continue
	p=${f#/proc/}
	kill "-$1" "${p%/stat}"
done

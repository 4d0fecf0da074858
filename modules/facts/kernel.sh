# Prints what the kernel tells of the network without iproute2: each interface with its MTU and its MAC, then addresses and routes.
for d in /sys/class/net/*; do
	[ -e "$d/mtu" ] || continue
	read -r index <"$d/ifindex"
	read -r mtu <"$d/mtu"
	mac=
	read -r mac <"$d/address" || :
	printf 'link %s %s %s %s\n' "$index" "${d##*/}" "$mtu" "$mac"
done
for f in route fib_trie if_inet6; do
	[ ! -e "/proc/net/$f" ] || while IFS= read -r line; do
		printf '%s %s\n' "$f" "$line"
	done <"/proc/net/$f"
done

# Whether packets of the overlay have room. Geneve as OVN uses it takes 58 bytes, and
# guests need 1280 and another 50 for their own tunnels.
interface=$(ip -o route show default | sed -n 's/.* dev \([^ ]*\).*/\1/p' | head -n 1)
if [ -z "$interface" ]; then
	echo "note there is no default route, so it is not known which interface the overlay takes"
	exit
fi
mtu=$(cat "/sys/class/net/$interface/mtu")
if [ "$mtu" -ge 1500 ]; then
	echo "ok $interface has $mtu, guests get $((mtu - 58))"
elif [ "$mtu" -ge 1388 ]; then
	echo "note $interface has $mtu, guests get $((mtu - 58))"
else
	echo "fail $interface has $mtu, which leaves guests $((mtu - 58))"
fi

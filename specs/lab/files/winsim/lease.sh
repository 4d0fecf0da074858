#!/bin/sh
# What busybox's udhcpc runs for the lease it got: the address, the MTU, the router and
# the name servers of the network card, and a note of them for the simulator.
case $1 in
bound | renew) ;;
*) exit 0 ;;
esac
[ -z "$mtu" ] || /bin/busybox ip link set dev "$interface" mtu "$mtu"
/bin/busybox ip address replace "$ip/${mask:-24}" dev "$interface"
: >/run/lease
for gateway in $router; do
	/bin/busybox ip route replace default via "$gateway" dev "$interface"
	echo "router $gateway" >>/run/lease
	break
done
[ -z "$domain" ] || echo "search $domain" >/run/resolv.conf
for server in $dns; do
	echo "nameserver $server" >>/run/resolv.conf
	echo "dns $server" >>/run/lease
done

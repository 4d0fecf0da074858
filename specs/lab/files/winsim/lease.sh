#!/bin/sh
# What busybox's udhcpc runs for the lease it got: the address, the MTU, the router and
# the name servers of the network card.
case $1 in
bound | renew) ;;
*) exit 0 ;;
esac
[ -z "$mtu" ] || /bin/busybox ip link set dev "$interface" mtu "$mtu"
/bin/busybox ip address replace "$ip/${mask:-24}" dev "$interface"
for gateway in $router; do
	/bin/busybox ip route replace default via "$gateway" dev "$interface"
	break
done
{
	[ -z "$domain" ] || echo "search $domain"
	for server in $dns; do echo "nameserver $server"; done
} >/run/resolv.conf

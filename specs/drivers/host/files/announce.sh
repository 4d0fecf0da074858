# Neighbours on the overlay are asked with the address that the machine has there: OVN lets
# nothing else pass.
echo 2 >/proc/sys/net/ipv4/conf/${device}/arp_announce

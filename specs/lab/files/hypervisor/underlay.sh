#!/bin/sh
# Moves eth0's address, routes and MTU to the OVS bridge br-phy.
#
# Without the openvswitch kernel module OVS switches in userspace, and a userspace
# tunnel leaves only through an OVS bridge that holds the tunnel's own address.
#
#   eth0 -- br-eth0 (kernel) -- phy0 = phy1 -- br-phy (OVS, holds the address)
#
# OVS cannot take eth0 itself: the machine outside sends segments that are not cut
# to the MTU and have no checksum yet, as local traffic may, and userspace switching
# passes them on as they are. On their way through the veth pair, whose offloads are
# off, the kernel cuts and sums them.
#
# Runs at every boot and after every restart of the switch. At boot the container
# engine has put the address on eth0; it is written down, so that later runs find it.
set -eu
device=eth0
link=br-eth0
bridge=br-phy
memory=/run/kinit-lab-underlay

if ip -4 -o address show dev "$device" scope global | grep -q inet; then
	{
		cat "/sys/class/net/$device/mtu"
		ip -4 -o address show dev "$device" scope global | awk '{ print $4; exit }'
		ip -4 route show default dev "$device" | awk '{ print $3; exit }'
	} >"$memory"
fi
{ read -r mtu && read -r address && { read -r gateway || gateway=; }; } <"$memory"

# The kernel part. It carries frames only: it must not answer for the address.
[ -e "/sys/class/net/$link" ] || ip link add "$link" mtu "$mtu" type bridge stp_state 0 mcast_snooping 0
[ -e /sys/class/net/phy0 ] || ip link add phy0 mtu "$mtu" type veth peer name phy1 mtu "$mtu"
ip link set "$link" arp off
ip link set phy1 arp off
ethtool -K phy0 tx off tso off gso off sg off >/dev/null
for name in "$device" "$link" phy0 phy1; do
	setting=/proc/sys/net/ipv6/conf/$name/disable_ipv6
	[ ! -e "$setting" ] || echo 1 >"$setting"
done
for setting in /proc/sys/net/bridge/bridge-nf-call-*; do
	[ ! -e "$setting" ] || echo 0 >"$setting"
done
# A machine that is a node has its packet filter see bridges, and says so in /etc/sysctl.d. There
# the kernel would give what this bridge carries the addresses of pods, and lose the answers,
# which leave by the other bridge: connections begin and end at that one.
/lib/systemd/systemd-sysctl --prefix=/net/bridge || true
nft -f - <<EOF
table inet kinit_lab_frames
delete table inet kinit_lab_frames
table inet kinit_lab_frames {
	chain prerouting {
		type filter hook prerouting priority raw
		iifname "$link" notrack
	}
}
EOF
ip address flush dev "$device"
ip link set "$device" master "$link"
ip link set phy0 master "$link"
for name in "$device" "$link" phy0 phy1; do
	ip link set "$name" up
done

# A MAC of its own, for the kernel's bridge keeps eth0's to itself. Made from the
# address, so it is the same after every start and neighbours may remember it.
mac=$(echo "${address%/*}" | awk -F . '{ printf "0a:4b:%02x:%02x:%02x:%02x", $1, $2, $3, $4 }')
ovs-vsctl --timeout=20 \
	--may-exist add-br "$bridge" -- \
	set bridge "$bridge" datapath_type=netdev fail_mode=standalone "other_config:hwaddr=\"$mac\"" -- \
	--may-exist add-port "$bridge" phy1 -- \
	set interface "$bridge" "mtu_request=$mtu"

# What leaves from here is summed and cut by the sender too.
ethtool -K "$bridge" tx off >/dev/null

ip address replace "$address" dev "$bridge"
# Tell the neighbours, who may remember another MAC of an earlier start.
echo 1 >"/proc/sys/net/ipv4/conf/$bridge/arp_notify"
ip link set "$bridge" down
ip link set "$bridge" up
[ -z "$gateway" ] || ip route replace default via "$gateway" dev "$bridge"

# Ends ovn-controller, which removes its chassis, and removes the setting that it made by itself.
set -eu
ovn-appctl -t ovn-controller exit
record=$(ovs-vsctl --if-exists get Open_vSwitch . external_ids:kinit-vlan-limit)
[ -z "$record" ] || ovs-vsctl remove Open_vSwitch . other_config vlan-limit -- remove Open_vSwitch . external_ids kinit-vlan-limit

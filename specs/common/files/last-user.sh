# Ends with 0 when ovn-controller runs and cluster $1 is the only one that relies on
# its settings. A user is the name of a cluster and, after a dot, its id.
users=$(ovs-vsctl --if-exists get Open_vSwitch . external_ids:kinit-users-ovn-remote 2>/dev/null | tr -d '"') || exit 1
case $users in
*,*) exit 1 ;;
"$1" | "$1".*) ovn-appctl -t ovn-controller version >/dev/null 2>&1 ;;
*) exit 1 ;;
esac

# overlay-taken.sh CLUSTER: fails when this machine's Open vSwitch cannot become part of the
# overlay of CLUSTER, because something else that kinit did not make relies on it.
command -v ovs-vsctl >/dev/null 2>&1 && [ -S "${OVS_RUNDIR:-/run/openvswitch}/db.sock" ] || exit 0
ask() { ovs-vsctl --timeout=20 "$@" 2>/dev/null; }
refuse() {
	echo "$1 Name another machine, or name this one in a pool without overlay: it is reached beside the overlay then." >&2
	exit 1
}

# A user of the settings is the name of a cluster and, after a dot, its id.
users=$(ask --if-exists get Open_vSwitch . external_ids:kinit-users-ovn-remote | tr -d '"')
case $users in
*,*) refuse "this machine is a chassis of several clusters: $users." ;;
"$1" | "$1".*) ;;
?*) refuse "this machine is a chassis of another cluster's overlay: $users." ;;
*)
	remote=$(ask get Open_vSwitch . external_ids | tr ',' '\n' | sed -n 's/^[{ ]*ovn-remote[^=]*=//p' | tr -d '"}' | head -n 1)
	[ -z "$remote" ] || refuse "this machine is a chassis of an OVN that kinit did not make (ovn-remote is $remote)."
	;;
esac

for port in $(ask list-ports br-int); do
	marks=$(ask get Port "$port" external_ids)
	case $marks in
	*kinit-owner* | *ovn-chassis-id* | *ovn-localnet-port* | *ovn-l2gateway-port* | *ovn-l3gateway-port* | *ovn-logical-patch-port*) ;;
	*) refuse "this machine's bridge br-int has the port $port, which kinit did not make." ;;
	esac
done

if [ "$(ask get Open_vSwitch . ssl)" != "[]" ]; then
	case $(ask --bare --columns=external_ids list SSL) in
	*kinit-owner*) ;;
	*) refuse "this machine's Open vSwitch has keys and certificates of its own (ovs-vsctl get-ssl)." ;;
	esac
fi

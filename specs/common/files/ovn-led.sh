# ovn-led.sh WORD NAME: fails until this host's server of a database of OVN is a member that knows its leader.
said=$(ovn-appctl --timeout=10 -t "/run/ovn/ovn$1_db.ctl" cluster/status "$2") || exit 1
case $said in
*"Leader: unknown"*)
	echo "$2 has no leader: more than half of its servers have to answer" >&2
	exit 1
	;;
*"Status: cluster member"*) ;;
*)
	echo "$said" | grep '^Status:' >&2
	exit 1
	;;
esac

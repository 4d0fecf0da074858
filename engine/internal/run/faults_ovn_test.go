package run_test

// switchWorks are the modules that change Open vSwitch's database. Its devices are real ones,
// of the userspace datapath, in a network of the test's own.
func switchWorks() []work {
	shared := openvswitch()
	const bridge = "ovs-vsctl --if-exists del-br br-new; ip netns del guest 2>/dev/null || :; ip link del veth0 2>/dev/null || :\n" +
		"ovs-vsctl --if-exists del-br br-old -- add-br br-old -- set Bridge br-old datapath_type=netdev\n" +
		"ovs-vsctl clear Open_vSwitch . external_ids -- set Open_vSwitch . external_ids:system-id=far\n"
	const made = `task "ovs_bridge" "made" {
 host = "far"
 name = "br-new"
 datapath_type = "netdev"
}
task "ovs_port" "made" {
 host = "far"
 bridge = task.ovs_bridge.made.name
 name = "port0"
 type = "internal"
}
task "ovn_chassis" "made" {
 host = "far"
 remote = "tcp:192.0.2.1:6642"
 encap_ip = "192.0.2.2"
}
`
	return []work{
		{module: "ovs_bridge", text: "name = \"br-new\"\n datapath_type = \"netdev\"\n addresses = [\"192.0.2.7/24\"]", system: &system{
			daemons: shared, before: bridge, holds: once("ovs-vsctl", "Bridge", "name=br-new") + "ip addr show br-new | grep -c '192.0.2.7/24' | grep -qx 1"}},
		{module: "ovs_port", text: "bridge = \"br-old\"\n name = \"port0\"\n type = \"internal\"\n iface_id = \"management\"\n addresses = [\"192.0.2.7/24\"]", system: &system{
			daemons: shared, before: bridge,
			holds: once("ovs-vsctl", "Interface", "external_ids:iface-id=management") + "ip addr show port0 | grep -c '192.0.2.7/24' | grep -qx 1; ovs-vsctl list-ports br-old | grep -qx port0"}},
		{module: "ovs_veth", text: "bridge = \"br-old\"\n name = \"veth0\"\n peer = \"overlay\"\n netns = \"/run/netns/guest\"\n addresses = [\"192.0.2.7/24\"]", system: &system{
			daemons: shared, before: bridge + "ip netns add guest",
			holds: once("ovs-vsctl", "Interface", "name=veth0") + "ip -n guest addr show overlay | grep -c '192.0.2.7/24' | grep -qx 1; ip link show veth0 | grep -q UP; ovs-vsctl list-ports br-old | grep -qx veth0"}},
		{module: "ovn_chassis", text: "remote = \"tcp:192.0.2.1:6642\"\n encap_ip = \"192.0.2.2\"\n bridge_mappings = { provider = \"br-ex\" }", system: &system{
			daemons: shared, before: bridge + "ovs-vsctl set Open_vSwitch . external_ids:ovn-bridge-mappings=other:br-old",
			holds: `ovs-vsctl get Open_vSwitch . external_ids | grep 'ovn-bridge-mappings="other:br-old,provider:br-ex"' | grep -q 'ovn-remote="tcp:192.0.2.1:6642"'`}},
		{module: "ovs_sweep", text: "all = true", made: made, system: &system{
			daemons: shared, before: bridge,
			holds: `ovs-vsctl list-br | grep -qx br-old; test -z "$(ovs-vsctl list-br | grep br-new)"; test -z "$(ip link show port0 2>/dev/null)"; ovs-vsctl get Open_vSwitch . external_ids | grep -qx '{system-id=far}'`}},
	}
}

// overlayWorks are the modules that change OVN's databases.
func overlayWorks() []work {
	shared := overlay()
	const none = "ovn-nbctl --if-exists ls-del guests -- --if-exists lr-del outside -- --all destroy DHCP_Options"
	const guests = `task "ovn_switch" "made" {
 host = "far"
 name = "guests"
}
`
	const outside = `task "ovn_router" "made" {
 host = "far"
 name = "outside"
}
`
	const made = guests + outside + `task "ovn_port" "made" {
 host = "far"
 name = "guest"
 switch = task.ovn_switch.made.name
}
task "ovn_router_port" "made" {
 host = "far"
 router = task.ovn_router.made.name
 switch = task.ovn_switch.made.name
 mac = "52:54:00:00:00:01"
 networks = ["10.0.0.1/24"]
}
task "ovn_dhcp" "made" {
 host = "far"
 name = "guests"
 cidr = "10.0.0.0/24"
 router = "10.0.0.1"
 server_mac = "52:54:00:00:00:01"
}
`
	on := func(before, holds string) *system { return &system{daemons: shared, before: before, holds: holds} }
	north := func(table, condition string) string { return once("ovn-nbctl", table, condition) }
	return []work{
		{module: "ovn_switch", text: `name = "guests"`, system: on(none, north("Logical_Switch", "name=guests"))},
		{module: "ovn_dhcp", text: "name = \"guests\"\n cidr = \"10.0.0.0/24\"\n router = \"10.0.0.1\"\n server_mac = \"52:54:00:00:00:01\"",
			system: on(none, north("DHCP_Options", "cidr=10.0.0.0/24"))},
		{module: "ovn_port", made: guests, text: "name = \"guest\"\n switch = \"guests\"\n mac = \"52:54:00:12:34:56\"\n ip = \"10.0.0.10\"",
			system: on(none, north("Logical_Switch_Port", "name=guest")+"ovn-nbctl lsp-list guests | grep -c . | grep -qx 1")},
		{module: "ovn_router", text: `name = "outside"`, system: on(none, north("Logical_Router", "name=outside"))},
		{module: "ovn_router_port", made: guests + outside, text: "router = \"outside\"\n switch = \"guests\"\n mac = \"52:54:00:00:00:01\"\n networks = [\"10.0.0.1/24\"]",
			system: on(none, north("Logical_Router_Port", "networks{>=}10.0.0.1/24")+"ovn-nbctl lsp-list guests | grep -c . | grep -qx 1; ovn-nbctl lrp-list outside | grep -c . | grep -qx 1")},
		{module: "ovn_nat", made: outside, text: "router = \"outside\"\n type = \"snat\"\n external_ip = \"172.16.0.10\"\n logical_ip = \"10.0.0.0/24\"",
			system: on(none, north("NAT", "type=snat")+"ovn-nbctl lr-nat-list outside | grep -c snat | grep -qx 1")},
		{module: "ovn_route", made: outside, text: "router = \"outside\"\n prefix = \"0.0.0.0/0\"\n nexthop = \"172.16.0.254\"",
			system: on(none, north("Logical_Router_Static_Route", "nexthop=172.16.0.254")+"ovn-nbctl lr-route-list outside | grep -c 172.16.0.254 | grep -qx 1")},
		{module: "ovn_central", text: `sb_listen = "ptcp:FREE:127.0.0.1"`, system: on("ovn-sbctl del-connection", once("ovn-sbctl", "Connection", "read_only=false"))},
		{module: "ovn_sync", reads: true, text: `chassis = ["c-1"]`, system: on(lags, `test "$(ovn-sbctl get SB_Global . nb_cfg)" = "$(ovn-nbctl get NB_Global . nb_cfg)"`)},
		{module: "ovn_sweep", text: "all = true", made: made, system: on(none+" -- --may-exist ls-add kept; ovn-sbctl --if-exists chassis-del c-1",
			`test "$(ovn-nbctl --bare --columns=name list Logical_Switch)" = kept; for t in Logical_Switch_Port Logical_Router Logical_Router_Port DHCP_Options; do test -z "$(ovn-nbctl --bare list $t)"; done`)},
	}
}

// once fails unless one row of a table meets a condition.
func once(program, table, condition string) string {
	return `test "$(` + program + " --bare --columns=_uuid find " + table + " '" + condition + `' | grep -c .)" = 1; `
}

// lags lets a chassis have the last change a second from now.
const lags = `ovn-sbctl --if-exists chassis-del c-1 -- --all destroy Chassis_Private
ovn-sbctl chassis-add c-1 geneve 192.0.2.1 -- --id=@p create Chassis_Private name=c-1 -- set SB_Global . nb_cfg=0
ovn-nbctl set NB_Global . nb_cfg=3
(sleep 1; ovn-sbctl set SB_Global . nb_cfg=3 -- set Chassis_Private c-1 nb_cfg=3) >/dev/null 2>&1 &`

const database = `serve() {
	mkdir -p "${3%/*}"; ovsdb-tool create "/run/$1.db" "$2"
	ovsdb-server --detach --no-chdir --pidfile="/run/$1.pid" --log-file="/run/$1.log" --unixctl="/run/$1.ctl" --remote="punix:$3" $4 "/run/$1.db"
}
`

// openvswitch has Open vSwitch's database and its switch.
func openvswitch() *daemons {
	return &daemons{need: "ovs", uses: []string{"ovsdb-server", "ovs-vswitchd", "ovs-vsctl", "ip"}, end: "ovs-vsctl --timeout=5 --if-exists del-br br-old", setup: database + `
serve switch /usr/share/openvswitch/vswitch.ovsschema /run/openvswitch/db.sock
ovs-vsctl --no-wait init
inside ovs-vswitchd --detach --no-chdir --pidfile=/run/vswitchd.pid --log-file=/run/vswitchd.log unix:/run/openvswitch/db.sock`}
}

// overlay has OVN's databases. The southbound one listens as the packages' service does.
func overlay() *daemons {
	return &daemons{need: "ovs", uses: []string{"ovsdb-server", "ovn-nbctl", "ovn-sbctl"}, end: ":", setup: database + `
serve north /usr/share/ovn/ovn-nb.ovsschema /run/ovn/ovnnb_db.sock
serve south /usr/share/ovn/ovn-sb.ovsschema /run/ovn/ovnsb_db.sock --remote=db:OVN_Southbound,SB_Global,connections
ovn-nbctl init; ovn-sbctl init`}
}

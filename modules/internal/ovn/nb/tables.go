package nb

// Global is the one row of NB_Global: the counters by which a change is followed
// to the hypervisors.
type Global struct {
	UUID  string `ovsdb:"_uuid"`
	NbCfg int    `ovsdb:"nb_cfg"` // counted up with each change
	SbCfg int    `ovsdb:"sb_cfg"` // the change the southbound database has
	HvCfg int    `ovsdb:"hv_cfg"` // the change every chassis has

	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Switch is a row of Logical_Switch.
type Switch struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Ports       []string          `ovsdb:"ports"`
	OtherConfig map[string]string `ovsdb:"other_config"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// SwitchPort is a row of Logical_Switch_Port.
type SwitchPort struct {
	UUID         string            `ovsdb:"_uuid"`
	Name         string            `ovsdb:"name"`
	Type         string            `ovsdb:"type"`
	Options      map[string]string `ovsdb:"options"`
	Addresses    []string          `ovsdb:"addresses"`
	PortSecurity []string          `ovsdb:"port_security"`
	TagRequest   *int              `ovsdb:"tag_request"`
	Up           *bool             `ovsdb:"up"` // set by OVN when a chassis has it
	DHCPv4       *string           `ovsdb:"dhcpv4_options"`
	ExternalIDs  map[string]string `ovsdb:"external_ids"`
}

// Router is a row of Logical_Router.
type Router struct {
	UUID         string            `ovsdb:"_uuid"`
	Name         string            `ovsdb:"name"`
	Ports        []string          `ovsdb:"ports"`
	StaticRoutes []string          `ovsdb:"static_routes"`
	NAT          []string          `ovsdb:"nat"`
	Options      map[string]string `ovsdb:"options"`
	ExternalIDs  map[string]string `ovsdb:"external_ids"`
}

// RouterPort is a row of Logical_Router_Port.
type RouterPort struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	MAC         string            `ovsdb:"mac"`
	Networks    []string          `ovsdb:"networks"`
	Group       *string           `ovsdb:"ha_chassis_group"`
	Options     map[string]string `ovsdb:"options"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// NAT is a row of NAT.
type NAT struct {
	UUID        string            `ovsdb:"_uuid"`
	Type        string            `ovsdb:"type"`
	ExternalIP  string            `ovsdb:"external_ip"`
	LogicalIP   string            `ovsdb:"logical_ip"`
	ExternalMAC *string           `ovsdb:"external_mac"`
	LogicalPort *string           `ovsdb:"logical_port"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Route is a row of Logical_Router_Static_Route.
type Route struct {
	UUID        string            `ovsdb:"_uuid"`
	Prefix      string            `ovsdb:"ip_prefix"`
	Nexthop     string            `ovsdb:"nexthop"`
	OutputPort  *string           `ovsdb:"output_port"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// DHCP is a row of DHCP_Options.
type DHCP struct {
	UUID        string            `ovsdb:"_uuid"`
	CIDR        string            `ovsdb:"cidr"`
	Options     map[string]string `ovsdb:"options"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Group is a row of HA_Chassis_Group.
type Group struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"name"`
	Chassis     []string          `ovsdb:"ha_chassis"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// GroupChassis is a row of HA_Chassis.
type GroupChassis struct {
	UUID        string            `ovsdb:"_uuid"`
	Name        string            `ovsdb:"chassis_name"`
	Priority    int               `ovsdb:"priority"`
	ExternalIDs map[string]string `ovsdb:"external_ids"`
}

// Package ovnchassis makes a host a chassis of OVN: module ovn_chassis.
//
// ovn-controller takes its settings from the host's Open vSwitch database. They
// belong to the host and can serve several clusters: the database also records which
// cluster uses which setting and the values from before.
package ovnchassis

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/table"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
)

func Kind() module.Kind {
	return module.With[Task, Outputs](module.Kind{Name: "ovn_chassis"})
}

// Task is the settings of ovn-controller that make a hypervisor a chassis of OVN. They
// can serve several clusters; when the last one is removed, the former values are restored.
//
// Errors:
//   - another cluster uses other values of the same settings
//   - private_key, certificate or ca_cert is missing for a remote with "ssl"
//   - Open vSwitch does not answer
type Task struct {
	// Name is the chassis' name (system-id) if the host has none yet; Open vSwitch's
	// service gives it a random one when it starts. Default: the host's name. The
	// output id has the actual name.
	Name string `hcl:"name,optional"`
	// Remote is the address of the southbound database: "ssl:192.0.2.1:6642", several
	// with commas between them. Needed unless state is "absent".
	Remote string `hcl:"remote,optional"`
	// EncapIP is the host's address that tunnels use. Needed unless state is "absent".
	EncapIP string `hcl:"encap_ip,optional"`
	// EncapType is the kind of tunnels: "geneve", or "vxlan" for hardware.
	EncapType string `hcl:"encap_type,optional" default:"geneve"`
	// DatapathType is the datapath type of the integration bridge.
	// Empty leaves it unchanged.
	DatapathType string `hcl:"datapath_type,optional" enum:"system,netdev"`
	// BridgeMappings maps physical networks to bridges, such as
	// { provider = "br-ex" }. Mappings of other networks remain.
	BridgeMappings map[string]string `hcl:"bridge_mappings,optional"`
	// MonitorAll makes ovn-controller keep a copy of the whole southbound database instead of
	// asking for its part. Unset leaves it as it is.
	MonitorAll *bool `hcl:"monitor_all,optional"`
	// Hostname is the chassis' name in the southbound database. Empty leaves it unchanged,
	// which makes it the host's own.
	Hostname string `hcl:"hostname,optional"`
	// Settings are further keys of Open_vSwitch's external_ids, such as
	// { ovn-remote-probe-interval = "60000" }.
	Settings map[string]string `hcl:"settings,optional"`
	// PrivateKey is the path of the chassis' key on the host. Needed when the remote
	// is "ssl".
	PrivateKey string `hcl:"private_key,optional"`
	// Certificate is the path of the chassis' certificate on the host. Needed when the
	// remote is "ssl".
	Certificate string `hcl:"certificate,optional"`
	// CACert is the path on the host of the CA certificate that signed the server's
	// certificate. Needed when the remote is "ssl".
	CACert string `hcl:"ca_cert,optional"`
	module.Presence
}

func (t *Task) Validate() error {
	if t.Absent() {
		return nil
	}
	tls := false
	for remote := range strings.SplitSeq(t.Remote, ",") {
		kind, where, _ := strings.Cut(remote, ":")
		if where == "" || !slices.Contains([]string{"ssl", "tcp", "unix"}, kind) {
			return fmt.Errorf("remote is %q, want \"ssl:ADDRESS:6642\"", t.Remote)
		}
		tls = tls || kind == "ssl"
	}
	if tls && (t.PrivateKey == "" || t.Certificate == "" || t.CACert == "") {
		return errors.New("private_key, certificate or ca_cert is empty, want the paths of all three for remote \"ssl\"")
	}
	if _, err := netip.ParseAddr(t.EncapIP); err != nil {
		return fmt.Errorf("encap_ip is %q, want the host's address for tunnels", t.EncapIP)
	}
	if !slices.Contains([]string{"geneve", "vxlan", "geneve,vxlan", "vxlan,geneve"}, t.EncapType) {
		return fmt.Errorf("encap_type is %q, want \"geneve\"", t.EncapType)
	}
	for network, bridge := range t.BridgeMappings {
		if network == "" || bridge == "" || strings.ContainsAny(network+bridge, ":,") {
			return fmt.Errorf("bridge_mappings: %q = %q, want names without colons and commas", network, bridge)
		}
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	present := func(rows vs.Rows, owner string) (ovn.Change, error) { return t.present(rows, h.Name(), owner) }
	return ovn.PlanPresence(ctx, h, ovn.Switch(), t.Presence, present, t.absent)
}

type Outputs struct {
	ID      string `cty:"id"`       // the chassis' name, which gateways and ovn_sync refer to
	EncapIP string `cty:"encap_ip"` // the address that tunnels use
}

// Outputs reads the chassis' name, which gateways and ovn_sync refer to.
func (t *Task) Outputs(ctx context.Context, h module.Host) (Outputs, error) {
	rows, err := ovn.Read[vs.Rows](ctx, h, ovn.Switch())
	return Outputs{ID: rows.Root().ExternalIDs[systemID], EncapIP: t.EncapIP}, err
}

// systemID is the key that holds the chassis' name.
const systemID = "system-id"

// present returns the change that sets the host's settings to the arguments, in one
// transaction.
func (t *Task) present(rows vs.Rows, host, owner string) (ovn.Change, error) {
	root := rows.Root()
	settings := vswitch.NewHostSettings(root.ExternalIDs)
	want := t.settings()
	if id := settings.Get(systemID); id == "" {
		want[systemID] = t.name(host)
	} else {
		want[systemID] = id // an existing name is kept
	}
	names := slices.Sorted(maps.Keys(want))
	settings.Release(owner, names)
	for _, name := range names {
		if err := settings.Want(name, want[name], owner); err != nil {
			return ovn.Change{}, err
		}
	}
	change := settings.Change(root)
	files := table.SSL{PrivateKey: t.PrivateKey, Certificate: t.Certificate, CACert: t.CACert}
	tls, err := ovn.WantSSL(rows.SSLs, &root, &root.SSL, files, "Open vSwitch", owner)
	return ovn.Both(change, tls), err
}

// name is the chassis' name for a host without one.
func (t *Task) name(host string) string {
	if t.Name != "" {
		return t.Name
	}
	return host
}

// settings returns the arguments as settings, by their names in ovn-controller(8).
func (t *Task) settings() map[string]string {
	all := map[string]string{
		"ovn-remote": t.Remote, "ovn-encap-ip": t.EncapIP, "ovn-encap-type": t.EncapType,
	}
	if t.DatapathType != "" {
		all["ovn-bridge-datapath-type"] = t.DatapathType
	}
	if t.MonitorAll != nil {
		all["ovn-monitor-all"] = strconv.FormatBool(*t.MonitorAll)
	}
	if t.Hostname != "" {
		all["hostname"] = t.Hostname
	}
	for network, bridge := range t.BridgeMappings {
		all[vswitch.MappingSetting(network)] = bridge
	}
	maps.Copy(all, t.Settings)
	return all
}

// absent returns the change that gives the settings up. Without an owner there are no
// records: settings with the values of the arguments are removed.
func (t *Task) absent(rows vs.Rows, owner string) (ovn.Change, error) {
	if owner != "" {
		return vswitch.ReleaseHost(rows, owner), nil
	}
	root := rows.Root()
	settings := vswitch.NewHostSettings(root.ExternalIDs)
	for name, value := range t.settings() {
		settings.Forget(name, value)
	}
	change := settings.Change(root)
	if tls, found := ovn.FindSSL(rows.SSLs, root.SSL); found && tls.PrivateKey == t.PrivateKey {
		change = ovn.Both(change, vswitch.ReleaseHost(rows, owner))
	}
	return change, nil
}

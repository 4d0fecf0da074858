package ovnchassis

import (
	"maps"
	"slices"
	"strconv"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/table"
	"kinit/modules/internal/ovn/vs"
	"kinit/modules/internal/ovn/vswitch"
)

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
	tls, err := t.tls(rows, owner)
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

// tls decides about the row with ovn-controller's TLS files.
func (t *Task) tls(rows vs.Rows, owner string) (ovn.Change, error) {
	if t.PrivateKey == "" {
		return ovn.Change{}, nil
	}
	root := rows.Root()
	want := table.SSL{PrivateKey: t.PrivateKey, Certificate: t.Certificate, CACert: t.CACert}
	return ovn.WantSSL(rows.SSLs, &root, &root.SSL, want, "Open vSwitch", owner)
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

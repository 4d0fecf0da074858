package ovnchassis

import (
	"maps"
	"slices"
	"strconv"

	"kinit/modules/internal/ovn"
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
	want := vs.SSL{
		UUID: "ssl", PrivateKey: t.PrivateKey, Certificate: t.Certificate, CACert: t.CACert,
		ExternalIDs: ovn.Shared(owner, nil),
	}
	have, found := vswitch.SwitchSSL(rows)
	if !found {
		root := rows.Root()
		root.SSL = &want.UUID
		return ovn.Change{
			Text:  ovn.Lines("use TLS", ovn.Show(want, "private_key", "certificate", "ca_cert")),
			Edits: []ovn.Edit{ovn.Insert(&want), ovn.Update(&root, &root.SSL)},
		}, nil
	}
	var change ovn.Change
	if edit, lines := ovn.Compare(have, want, "private_key", "certificate", "ca_cert"); edit != nil {
		change = ovn.Change{Text: ovn.Lines("change the files of TLS", lines), Edits: []ovn.Edit{edit}}
	}
	return ovn.Share("TLS of Open vSwitch", have.ExternalIDs, owner, change,
		ovn.SetKeys(&have, &have.ExternalIDs, ovn.Shared(owner, nil)))
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
	if tls, found := vswitch.SwitchSSL(rows); found && tls.PrivateKey == t.PrivateKey {
		change = ovn.Both(change, vswitch.ReleaseHost(rows, owner))
	}
	return change, nil
}

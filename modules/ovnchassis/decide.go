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

// present decides what makes the host's settings as the arguments say, in one
// transaction.
func (t *Task) present(rows vs.Rows, host, owner string) (ovn.Change, error) {
	root := rows.Root()
	settings := vswitch.NewHostSettings(root.ExternalIDs)
	want := t.settings()
	if id := settings.Get(systemID); id == "" {
		want[systemID] = t.name(host)
	} else {
		want[systemID] = id // whatever it is, it is kept
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

// name is the chassis' name for a host that has none.
func (t *Task) name(host string) string {
	if t.Name != "" {
		return t.Name
	}
	return host
}

// settings are what the arguments say, by the names that ovn-controller(8) gives
// them.
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

// tls decides for the row that says which files ovn-controller uses.
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

// absent decides what gives the settings up. Without an owner there are no books:
// what has the value of the arguments is removed.
func (t *Task) absent(rows vs.Rows, owner string) ovn.Change {
	if owner != "" {
		return vswitch.ReleaseHost(rows, owner)
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
	return change
}

package ovncentral

import (
	"time"

	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/sb"
	"kinit/modules/internal/ovn/table"
)

// present returns the change that makes the database listen, in one transaction.
func (t *Task) present(rows sb.Rows, owner string) (ovn.Change, error) {
	global := rows.Global()
	if global.UUID == "" {
		return t.fresh(sb.Global{UUID: "global"}, owner), nil
	}
	tls, err := t.tls(rows, global, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	listener, err := t.listener(rows, global, owner)
	if err != nil {
		return ovn.Change{}, err
	}
	all := ovn.Both(tls, listener)
	for _, c := range rows.Connections {
		if c.Target != t.SBListen && ovn.Shares(c.ExternalIDs, owner) {
			all = ovn.Both(all, ovn.DropConnection(global, c, owner))
		}
	}
	return all, nil
}

// fresh fills an empty database.
func (t *Task) fresh(global sb.Global, owner string) ovn.Change {
	tls, listener := t.ssl(owner), t.connection(owner)
	global.Connections = []string{listener.UUID}
	edits := []ovn.Edit{ovn.Insert(&listener)}
	if t.PrivateKey != "" {
		global.SSL = &tls.UUID
		edits = append(edits, ovn.Insert(&tls))
	}
	return ovn.Change{Text: "listen on " + t.SBListen, Edits: append(edits, ovn.Insert(&global))}
}

// tls decides about the row with the TLS files.
func (t *Task) tls(rows sb.Rows, global sb.Global, owner string) (ovn.Change, error) {
	if t.PrivateKey == "" {
		return ovn.Change{}, nil
	}
	return ovn.WantSSL(rows.SSLs, &global, &global.SSL, t.ssl(owner), "the southbound database", owner)
}

// listener decides about the address.
func (t *Task) listener(rows sb.Rows, global sb.Global, owner string) (ovn.Change, error) {
	want := t.connection(owner)
	for _, have := range rows.Connections {
		if have.Target != t.SBListen {
			continue
		}
		change := ovn.Correct("change listener "+t.SBListen, have, want, "inactivity_probe", "role")
		return ovn.Share("listener "+t.SBListen, &have, &have.ExternalIDs, owner, change)
	}
	return ovn.Change{
		Text:  ovn.Lines("listen on "+t.SBListen, ovn.Show(want, "inactivity_probe", "role")),
		Edits: []ovn.Edit{ovn.Insert(&want), ovn.Link(&global, &global.Connections, want.UUID)},
	}, nil
}

func (t *Task) ssl(owner string) table.SSL {
	return table.SSL{
		UUID: "ssl", PrivateKey: t.PrivateKey, Certificate: t.Certificate, CACert: t.CACert,
		ExternalIDs: ovn.Shared(owner, nil),
	}
}

func (t *Task) connection(owner string) sb.Connection {
	probe, _ := time.ParseDuration(t.Probe)
	ms := int(probe.Milliseconds())
	return sb.Connection{
		UUID: "connection", Target: t.SBListen, InactivityProbe: &ms, Role: t.Role,
		ExternalIDs: ovn.Shared(owner, nil),
	}
}

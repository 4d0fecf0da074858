// Package ovncentral sets up the listener of OVN's southbound database for the hypervisors:
// module ovn_central.
//
// The northbound database gets no listener: kinit uses its unix socket, forwarded inside
// the connection to the host.
package ovncentral

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"strings"
	"time"

	"kinit/engine/module"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/sb"
	"kinit/modules/internal/ovn/table"
)

const (
	// listenLimit limits the time until ovsdb-server listens; it needs milliseconds.
	listenLimit = 10 * time.Second
	// listenPoll is the interval of the attempts to connect until then.
	listenPoll = 100 * time.Millisecond
)

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "ovn_central"})
}

// Task is the listener of OVN's southbound database for the hypervisors. It runs on the
// host of ovn-central.
//
// Errors:
//   - a file of the TLS configuration is not on the host
//   - ovsdb-server does not listen in time: see its log
type Task struct {
	// SBListen is the address of the southbound database in ovsdb's notation: "pssl:6642",
	// or "pssl:6642:192.0.2.1" for one address only. Needed unless state is "absent".
	SBListen string `hcl:"sb_listen,optional"`
	// PrivateKey is the path of the server's key on the host. Needed for "pssl".
	PrivateKey string `hcl:"private_key,optional"`
	// Certificate is the path of the server's certificate on the host. Needed for
	// "pssl".
	Certificate string `hcl:"certificate,optional"`
	// CACert is the path on the host of the CA certificate that signed the hypervisors'
	// certificates. Needed for "pssl".
	CACert string `hcl:"ca_cert,optional"`
	// Probe is how long a hypervisor can be silent before the server probes it, such as
	// "60s". "0s" disables the probes.
	Probe string `hcl:"inactivity_probe,optional" default:"60s"`
	// Role limits the clients' write access: "ovn-controller" lets a hypervisor change
	// only its own rows, and then the name in its certificate must be its system-id.
	// Empty (default) sets no limit.
	Role string `hcl:"role,optional"`
	module.Presence
}

func (t *Task) Validate() error {
	if t.Absent() {
		return nil
	}
	kind, where, _ := strings.Cut(t.SBListen, ":")
	if kind != "pssl" && kind != "ptcp" || where == "" {
		return fmt.Errorf("sb_listen is %q, want \"pssl:6642\"", t.SBListen)
	}
	if kind == "pssl" && (t.PrivateKey == "" || t.Certificate == "" || t.CACert == "") {
		return errors.New("private_key, certificate or ca_cert is empty, want the paths of all three to listen with TLS")
	}
	if probe, err := time.ParseDuration(t.Probe); err != nil || probe < 0 || probe%time.Millisecond != 0 {
		return fmt.Errorf("inactivity_probe is %q, want a duration such as \"60s\"", t.Probe)
	}
	return nil
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.Absent() {
		return ovn.PlanAbsent(ctx, h, ovn.Southbound(), func(rows sb.Rows, owner string) (ovn.Change, error) {
			return ovn.DropListener(rows, owner), nil
		})
	}
	steps, err := ovn.Plan(ctx, h, ovn.Southbound(), t.present)
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	return module.OneStep(steps[0].String(), func(ctx context.Context, h module.Host) error {
		if err := t.checkFiles(ctx, h); err != nil {
			return err
		}
		if err := steps[0].Do(ctx, h); err != nil {
			return err
		}
		return t.listens(ctx, h)
	}), nil
}

// checkFiles checks that the files exist: ovsdb-server does not report a missing one.
func (t *Task) checkFiles(ctx context.Context, h module.Host) error {
	for argument, path := range map[string]string{"private_key": t.PrivateKey, "certificate": t.Certificate, "ca_cert": t.CACert} {
		if path == "" {
			continue
		}
		if _, err := h.Files().Stat(ctx, path); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s: there is no file %s on %s", argument, path, h.Name())
		} else if err != nil {
			return err
		}
	}
	return nil
}

// listens waits until the port takes connections.
func (t *Task) listens(ctx context.Context, h module.Host) error {
	limited, cancel := context.WithTimeout(ctx, listenLimit)
	defer cancel()
	tick := time.NewTicker(listenPoll)
	defer tick.Stop()
	for {
		conn, err := h.Dial(limited, "tcp", t.address())
		if err == nil {
			return conn.Close()
		}
		select {
		case <-tick.C:
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return fmt.Errorf("ovsdb-server does not listen on %s: %w; see /var/log/ovn/ovsdb-server-sb.log, and start it by ovn-ctl, which tells it to listen where its database says", t.SBListen, err)
		}
	}
}

// address is the port's address for the host itself.
func (t *Task) address() string {
	_, where, _ := strings.Cut(t.SBListen, ":")
	port, host, _ := strings.Cut(where, ":")
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

// present returns the change that makes the database listen, in one transaction.
func (t *Task) present(rows sb.Rows, owner string) (ovn.Change, error) {
	global := rows.Global()
	if global.UUID == "" {
		return t.fresh(sb.Global{UUID: "global"}, owner), nil
	}
	tls, err := ovn.WantSSL(rows.SSLs, &global, &global.SSL, t.ssl(owner), "the southbound database", owner)
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

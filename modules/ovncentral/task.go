// Package ovncentral sets up how OVN's southbound database is reached by the
// hypervisors: module ovn_central.
//
// The northbound database gets no listener at all: kinit reaches it through its
// unix socket, forwarded inside the connection to the host.
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
	"kinit/modules/internal/claim"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/sb"
)

const (
	// defaultProbe is how long a hypervisor may be silent. ovsdb-server's own default
	// of 5 s drops hypervisors that are only busy.
	defaultProbe = "60s"
	// listenLimit is how long ovsdb-server may take to listen; it needs milliseconds.
	listenLimit = 10 * time.Second
	// listenPoll is how often the port is tried until then.
	listenPoll = 100 * time.Millisecond
)

// Kind is module ovn_central: the southbound database listens for hypervisors. It
// runs on the host of ovn-central.
func Kind() module.Kind {
	return module.Kind{Name: "ovn_central", New: func() module.Task { return &Task{Probe: defaultProbe, State: ovn.Present} }}
}

// Task is how OVN's southbound database is reached by the hypervisors. It runs on the
// host of ovn-central.
//
// Errors:
//   - a file of the TLS configuration is not on the host
//   - ovsdb-server does not listen in time: see its log
type Task struct {
	// SBListen is where the southbound database listens, in ovsdb's words: "pssl:6642",
	// or "pssl:6642:192.0.2.1" for one address only. Needed unless state is "absent".
	SBListen string `hcl:"sb_listen,optional"`
	// PrivateKey is the path of the server's key on the host. Needed for "pssl".
	PrivateKey string `hcl:"private_key,optional"`
	// Certificate is the path of the server's certificate on the host. Needed for
	// "pssl".
	Certificate string `hcl:"certificate,optional"`
	// CACert is the path of the certificate on the host that has signed those of the
	// hypervisors. Needed for "pssl".
	CACert string `hcl:"ca_cert,optional"`
	// Probe is how long a hypervisor may be silent before it is asked, such as "60s"
	// (default). "0s" never asks.
	Probe string `hcl:"inactivity_probe,optional"`
	// Role limits what clients may write: "ovn-controller" lets a hypervisor change
	// only its own rows, and then the name in its certificate must be its system-id.
	// Empty (default) does not limit.
	Role string `hcl:"role,optional"`
	// State is "present" (default) or "absent".
	State string `hcl:"state,optional"`
}

// Validate finds mistakes in the arguments.
func (t *Task) Validate() error {
	if t.State == ovn.Absent {
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
	return ovn.CheckState(t.State)
}

// Plan compares the southbound database with the arguments.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	if t.State == ovn.Absent {
		return ovn.PlanAbsent(ctx, h, ovn.Southbound(), func(rows sb.Rows) (ovn.Change, error) {
			return ovn.DropListener(rows, claim.Signature(h)), nil
		})
	}
	steps, err := ovn.Plan(ctx, h, ovn.Southbound(), func(rows sb.Rows) (ovn.Change, error) {
		return t.present(rows, claim.Signature(h))
	})
	if err != nil || len(steps) == 0 {
		return nil, err
	}
	return []module.Step{module.NewStep(steps[0].String(), func(ctx context.Context, h module.Host) error {
		if err := t.checkFiles(ctx, h); err != nil {
			return err
		}
		if err := steps[0].Do(ctx, h); err != nil {
			return err
		}
		return t.listens(ctx, h)
	})}, nil
}

// checkFiles looks for the files: ovsdb-server says nothing when one is missing.
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

// address is where the host itself reaches the port.
func (t *Task) address() string {
	_, where, _ := strings.Cut(t.SBListen, ":")
	port, host, _ := strings.Cut(where, ":")
	host = strings.Trim(host, "[]")
	if ip := net.ParseIP(host); ip == nil || ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	return net.JoinHostPort(host, port)
}

var _ module.Validator = (*Task)(nil)

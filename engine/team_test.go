package engine_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/internal/etcd"
	"kinit/engine/internal/etcd/etcdtest"
	"kinit/engine/need"
	"kinit/engine/transport"
)

// team says in an inventory where the locks of a team are.
func team(t *testing.T, o *engine.Options, c etcd.Config) {
	t.Helper()
	text := fmt.Sprintf("lock {\n  etcd {\n    endpoints = [%q]\n    prefix = %q\n", c.Endpoints[0], c.Prefix)
	for name, value := range map[string]string{"ca": c.CA, "certificate": c.Certificate, "key": c.Key.Reveal(), "user": c.User, "password": c.Password.Reveal()} {
		if value != "" {
			text += fmt.Sprintf("    %s = %q\n", name, value)
		}
	}
	write(t, filepath.Join(o.Cwd, "team.hcl"), text+"  }\n}\n")
	o.Inventories = append(o.Inventories, "team.hcl")
}

const changes = `
spec "changes" {
  owner = "OWNER"
}
task "command" "work" {
  hosts = run.hosts
  argv  = ["touch", "TMP/done"]
}
`

func TestARunIsRefusedWhileAnotherHasTheLockOfTheTeam(t *testing.T) {
	t.Parallel()
	need.Root(t, "a lock for all users")
	server := etcdtest.StartClosed(t)
	o := options(t, strings.ReplaceAll(changes, "OWNER", "test-team"))
	team(t, &o, server.Config)
	var told []event.Event
	o.Events = watcher(func(e event.Event) {
		if e.Kind == event.RunWaits || e.Kind == event.RunTook {
			told = append(told, e)
		}
	})
	other := etcd.New(server.Config, "test-team", "ann@desk/7/OTHER", 60e9)
	if s, err := other.Take(t.Context(), ""); err != nil || !s.Mine {
		t.Fatalf("%+v, %v", s, err)
	}
	renewed := watcher(func(e event.Event) {
		if e.Kind == event.RunWaits {
			if _, err := other.Renew(t.Context()); err != nil {
				t.Error(err)
			}
		}
	})
	events := o.Events
	o.Events = watcher(func(e event.Event) { events.Emit(e); renewed.Emit(e) })
	report := engine.Run(t.Context(), o)
	if d := report.Diagnostics; len(d) != 1 || d[0].Summary != "Another run is at work" || !errors.Is(d[0].Cause, engine.ErrLocked) ||
		!strings.Contains(d[0].Detail, "ann@desk/7/OTHER holds the lock of test-team in etcd, for ") {
		t.Errorf("problems: %s", problems(report))
	}
	if len(told) != 1 || told[0].Host != "etcd" || !strings.HasPrefix(told[0].Message, "for the run of ann@desk/7/OTHER") {
		t.Errorf("told %+v", told)
	}
	if err := other.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text := problems(engine.Run(t.Context(), o)); text != "" {
		t.Errorf("afterwards: %s", text)
	}
	last := etcd.New(server.Config, "test-team", "ann@desk/8/LAST", 60e9)
	defer last.Release(t.Context())
	if s, err := last.Take(t.Context(), ""); err != nil || s != (etcd.State{Mine: true}) {
		t.Errorf("the run has not given its lock back: %+v, %v", s, err)
	}
}

func TestWithoutTheLockOfTheTeamNothingIsChanged(t *testing.T) {
	t.Parallel()
	address := need.Address(t)
	o := options(t, strings.ReplaceAll(changes, "OWNER", "test-team"))
	team(t, &o, etcd.Config{Endpoints: []string{"http://" + address}, Prefix: "/locks"})
	report := engine.Run(t.Context(), o)
	d := report.Diagnostics
	want := "take the lock of test-team in etcd: unreachable: http://" + address + ": dial tcp " + address + ": connect: connection refused. Without the team's lock nothing is changed."
	if len(d) != 1 || d[0].Summary != "No lock from etcd" || d[0].Detail != want || !errors.Is(d[0].Cause, transport.ErrUnreachable) {
		t.Errorf("problems: %s", problems(report))
	}
	if len(d) == 1 && (d[0].Subject == nil || !strings.HasSuffix(d[0].Subject.Filename, "team.hcl")) {
		t.Errorf("it is told of %v", d[0].Subject)
	}
	if len(report.Results) > 0 {
		t.Errorf("results %v", statuses(report))
	}
	if text := problems(engine.Plan(t.Context(), o)); text != "" {
		t.Errorf("a plan needs no lock: %s", text)
	}
}

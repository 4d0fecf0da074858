package run_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/transporttest/sshd"
)

// TestAnInterruptedRunEndsThoughHostsHaveVanished lets a host vanish without a word while a
// task works on it, and interrupts the run. What is done always is done where the host still
// answers, also when it takes longer than a host is waited for; the run ends within seconds.
func TestAnInterruptedRunEndsThoughHostsHaveVanished(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	j := newJob(t, "far,here")
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	p := j.build(`
task "command" "long" {
  host = "far"
  argv = ["sleep", "600"]
}
task "command" "after" {
  host   = "far"
  always = true
  argv   = ["sh", "-c", "echo far >> DIR/always"]
}
task "copy" "file" {
  host    = "far"
  always  = true
  dest    = "DIR/far"
  content = "text"
}
task "command" "here" {
  host   = "here"
  always = true
  argv   = ["sh", "-c", "sleep 7; echo here >> DIR/always"]
}
`)
	pool := host.NewConnections(func(_ context.Context, name string) (host.Settings, error) {
		if name == "here" {
			return host.Settings{Name: name, Local: true}, nil
		}
		return settingsOf(server, proxy, j.dir), nil
	}, j.redactor)
	began, stopped := make(chan struct{}), time.Time{}
	go func() { // ends with the event
		defer close(began)
		for e := range j.events.events {
			if e.Kind == event.StepStarted {
				proxy.Vanish()
				stopped = time.Now()
				interrupt()
				return
			}
		}
	}()
	result := run.Run(ctx, p, &plan.Values{}, pool, run.Options{Forks: 4, Events: j.events, Redactor: j.redactor})
	<-began
	if err := pool.Close(); err != nil && !strings.Contains(err.Error(), "closed") {
		t.Logf("close: %v", err)
	}
	if took := time.Since(stopped); took > 15*time.Second {
		t.Errorf("the run ended %s after it was interrupted", took)
	}
	if got := j.read("always"); got != "here\n" {
		t.Errorf("done always: %q", got)
	}
	check(t, []string{
		"task.command.long skipped: interrupted",
		"task.command.after skipped: interrupted, and far does not answer: nothing came within 6s",
		"task.copy.file skipped: interrupted, and far does not answer: nothing came within 6s",
		"task.command.here changed",
	}, show(result))
}

// settingsOf is how a server is reached through a proxy.
func settingsOf(server *sshd.Server, proxy *netfault.Proxy, dir string) host.Settings {
	address, port, _ := strings.Cut(proxy.Address, ":")
	s := host.Settings{
		Name: "far", Address: address, User: server.User, IdentityFiles: []string{server.ClientKey}, NoAgent: true,
		HostKeys: []string{server.HostKey}, Manifests: filepath.Join(dir, "clusters"),
	}
	_, _ = fmt.Sscan(port, &s.Port)
	return s
}

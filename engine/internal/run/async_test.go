package run_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/transporttest/sshd"
)

// TestAsyncWorkOutlivesItsConnection cuts the connection while a command runs: its result is
// collected over another one, and a plain command that ran at the same time has failed.
func TestAsyncWorkOutlivesItsConnection(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	proxy := netfault.New(t, server.Addr)
	j := newJob(t, "far")
	p := j.build(`
task "command" "lasts" {
  host  = "far"
  argv  = ["sh", "-c", "touch DIR/lasts; until [ -e DIR/go ]; do sleep 0.05; done; echo collected"]
  async = "2m"
  poll  = "50ms"
}
task "command" "plain" {
  host = "far"
  argv = ["sh", "-c", "touch DIR/plain; sleep 60"]
}
task "command" "later" {
  host  = "far"
  argv  = ["sh", "-c", "until [ -e DIR/go ]; do sleep 0.05; done; echo later"]
  async = "2m"
  poll  = "0s"
}
task "job_wait" "later" {
  host = "far"
  job  = task.command.later.job
  poll = "50ms"
}
`)
	pool := host.NewConnections(func(context.Context, string) (host.Settings, error) { return settingsOf(server, proxy, j.dir), nil }, j.redactor)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	dropped := make(chan struct{})
	go func() {
		defer close(dropped)
		for _, name := range []string{"lasts", "plain"} {
			for ctx.Err() == nil {
				if _, err := os.Stat(filepath.Join(j.dir, name)); err == nil {
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
		}
		proxy.Drop()
		if err := os.WriteFile(filepath.Join(j.dir, "go"), nil, 0o600); err != nil {
			t.Error(err)
		}
	}()
	values := &plan.Values{}
	result := run.Run(ctx, p, values, pool, run.Options{Forks: 4, Events: j.events, Redactor: j.redactor})
	<-dropped
	_ = pool.Close()
	ends := map[string]string{}
	for _, task := range result.Tasks {
		ends[task.Address] = string(task.Status)
	}
	if ends["task.command.lasts"] != "changed" || ends["task.command.plain"] != "unreachable" {
		t.Fatalf("the tasks ended as %v: %v", ends, result.Diagnostics)
	}
	if got := values.Get("task.command.lasts")["stdout"].AsString(); got != "collected\n" {
		t.Errorf("the command returned %q", got)
	}
}

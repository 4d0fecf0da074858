package engine_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/need"
	"kinit/engine/transport/transporttest/sshd"
)

// overtaken is a playbook whose first task does what another run does that takes over.
const overtaken = `
spec "overtaken" {
  owner = "OWNER"
}
task "command" "taken" {
  hosts = run.hosts
  argv  = ["sh", "-c", "rm /var/lib/kinit/locks/OWNER/run.*"]
}
task "command" "next" {
  hosts      = run.hosts
  argv       = ["touch", "TMP/command"]
  depends_on = [task.command.taken]
}
task "copy" "next" {
  hosts      = run.hosts
  dest       = "TMP/file"
  content    = "changed"
  depends_on = [task.command.taken]
}
task "command" "always" {
  hosts  = run.hosts
  argv   = ["touch", "TMP/always"]
  always = true
}
`

func TestARunThatWasOvertakenDoesNothingMore(t *testing.T) {
	t.Parallel()
	need.Root(t, "a lock for all users")
	for _, over := range []string{"local", "ssh"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			owner := ownerName(t)
			o := options(t, strings.ReplaceAll(overtaken, "OWNER", owner))
			if over == "ssh" {
				far(t, &o)
			}
			report := engine.Run(t.Context(), o)
			d := report.Diagnostics
			if len(d) != 1 || d[0].Summary != "The run has lost its lock" || !errors.Is(d[0].Cause, engine.ErrLockLost) {
				t.Errorf("problems: %s", problems(report))
			}
			for _, name := range []string{"command", "file", "always"} {
				if _, err := os.Stat(filepath.Join(o.Cwd, name)); err == nil {
					t.Errorf("the task for %s was done", name)
				}
			}
			if _, err := os.Stat("/var/lib/kinit/locks/" + owner); err == nil {
				t.Error("the lock is still there")
			}
		})
	}
}

// far makes a run work over SSH.
func far(t *testing.T, o *engine.Options) {
	t.Helper()
	server := sshd.Start(t)
	write(t, filepath.Join(o.Cwd, "inventory.hcl"), fmt.Sprintf(`
host "far" {
  address       = %q
  port          = %d
  user          = %q
  identity_file = %q
  known_hosts   = %q
}`, server.Host, server.Port, server.User, server.ClientKey, server.KnownHosts))
	o.Hosts, o.Inventories = []string{"far"}, []string{"inventory.hcl"}
}

func TestAHostThatIsOnlyReadNeedsNoLock(t *testing.T) {
	t.Parallel()
	need.Root(t, "a lock for all users")
	o := options(t, `
spec "reads" {
  owner = "test-reads"
}
task "debug" "only" {
  message = "text"
}
`)
	looked := false
	o.Events = watcher(func(e event.Event) {
		if e.Kind == event.TaskStarted {
			looked = true
			if _, err := os.Stat("/var/lib/kinit/locks/test-reads"); err == nil {
				t.Error("there is a lock")
			}
		}
	})
	if text := problems(engine.Run(t.Context(), o)); text != "" || !looked {
		t.Errorf("looked %v: %s", looked, text)
	}
}

func TestASecondRunOfAnOwnerIsRefusedWhileTheFirstIsAtWork(t *testing.T) {
	t.Parallel()
	need.Root(t, "a lock for all users")
	playbook := `
spec "twice" {
  owner = "test-twice"
}
task "command" "work" {
  hosts = run.hosts
  argv  = ["sh", "-c", "touch TMP/begun; while ! [ -e TMP/enough ]; do sleep 0.05; done"]
}
`
	first := options(t, playbook)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan *engine.Report, 1)
	go func() { ended <- engine.Run(ctx, first) }()
	for begin := time.Now(); content(t, first, "begun") == "" && time.Since(begin) < 20*time.Second; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(first.Cwd, "begun")); err == nil {
			break
		}
	}
	second := options(t, playbook)
	far(t, &second) // the same machine by another name
	var waited []string
	second.Events = watcher(func(e event.Event) {
		if e.Kind == event.RunWaits {
			waited = append(waited, e.Host)
		}
	})
	report := engine.Run(t.Context(), second)
	if d := report.Diagnostics; len(d) != 1 || d[0].Summary != "Another run is at work" || !errors.Is(d[0].Cause, engine.ErrLocked) ||
		!strings.Contains(d[0].Detail, " holds the lock of test-twice on far, for ") {
		t.Errorf("problems: %s", problems(report))
	}
	if len(report.Results) > 0 || strings.Join(waited, " ") != "far" {
		t.Errorf("results %v, waited on %v", statuses(report), waited)
	}
	write(t, filepath.Join(first.Cwd, "enough"), "")
	if text := problems(<-ended); text != "" {
		t.Errorf("the first run: %s", text)
	}
}

package reboot

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/sshd"
	"kinit/modules/internal/roottest"
)

// do restarts the machine in the background and does the task's steps.
func do(t *testing.T, m *machine, task *Task, back func()) error {
	t.Helper()
	steps, err := task.Plan(t.Context(), m)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	done := make(chan struct{})
	var behind sync.WaitGroup
	behind.Go(func() { m.restart(t, done, back) })
	err = steps[0].Do(t.Context(), m)
	close(done)
	behind.Wait()
	return err
}

func TestRestartSurvivesTheLossOfTheConnection(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	task := m.task()
	task.Ready = []string{"test", "-e", m.Path("ready")}
	moduletest.Same(t, "steps", roottest.Planned(t, m, task), []string{"restart the host, as there is " + m.Path("reboot-required")})
	var later *time.Timer
	err := do(t, m, task, func() {
		m.put(t, "boot_id", "second\n")
		later = time.AfterFunc(2*time.Second, func() { m.put(t, "ready", "") })
	})
	later.Stop()
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "steps afterwards", roottest.Planned(t, m, task), nil)
	values, err := module.Outputs(t.Context(), task, m)
	if err != nil || values["boot_id"].AsString() != "second" {
		t.Errorf("outputs %v, %v", values, err)
	}
	if seconds, _ := values["elapsed"].AsBigFloat().Float64(); seconds < 3 || seconds > 30 {
		t.Errorf("elapsed %v s, want the time of the restart", seconds)
	}
	unreachable := false
	for _, report := range m.Reports() {
		unreachable = unreachable || strings.HasSuffix(report.Text, "s: the host does not answer")
	}
	if !unreachable {
		t.Errorf("reports %v, want one of a host that is down", m.Reports())
	}
}

func TestHostThatDoesNotGoDownIsAnErrorWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	for pace, limit := range map[float64]string{1: "2s", 1.5: "3s (2s on a machine of ordinary speed; this one is 1.5 times slower)"} {
		t.Run(limit, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			slow := moduletest.Slow(m, pace)
			task := m.task()
			task.Command, task.Within = []string{"true"}, "2s"
			steps := moduletest.Steps(t, task, slow)
			want := "localhost was restarted and is not ready after " + limit + ": it has not gone down yet: its boot id is still first"
			if err := steps[0].Do(t.Context(), slow); err == nil || err.Error() != want {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
}

func TestHostThatDoesNotComeBackIsAnErrorWhenTheTimeIsOver(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	task := m.task()
	task.Within = "4s"
	began := time.Now()
	err := do(t, m, task, func() { time.Sleep(5 * time.Second) })
	want := "localhost was restarted and is not ready after 4s: "
	if err == nil || !strings.HasPrefix(err.Error(), want) || !strings.Contains(err.Error(), "unreachable") {
		t.Errorf("error %v, want %s…", err, want)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("it took %s", took)
	}
}

func TestAnotherHostKeyIsAnErrorAtOnce(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	err := do(t, m, m.task(), func() {
		for _, name := range []string{"host", "host.pub"} {
			if err := os.Remove(m.server.Dir + "/" + name); err != nil {
				t.Error(err)
			}
		}
		sshd.Keygen(t, m.server.Dir+"/host")
	})
	if !errors.Is(err, transport.ErrHostKey) {
		t.Errorf("error %v, want %v", err, transport.ErrHostKey)
	}
}

func TestInterruptEndsTheWait(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	task := m.task()
	task.Command = []string{"true"}
	steps := moduletest.Steps(t, task, m)
	ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := steps[0].Do(ctx, m); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 5*time.Second {
		t.Errorf("error %v after %s", err, time.Since(began))
	}
}

// fake is a host that restarts at once: its boot id changes when it is asked to.
func fake(t *testing.T) (*moduletest.FakeHost, func() *Task) {
	h := moduletest.NewFakeHost(t, "demo")
	h.FS.Put("/boot_id", "first\n", 0o444)
	h.FS.Put("/run/reboot-required", "", 0o644)
	h.On("sh", "-c", startScript, "sh", "systemctl", "reboot").Reply(moduletest.Reply{Changes: true, Effect: func(moduletest.Call) {
		h.FS.Put("/boot_id", "second\n", 0o444)
		_ = h.FS.Remove(context.Background(), "/run/reboot-required") // as /run is in memory
	}})
	return h, func() *Task {
		task := Kind().New().(*Task)
		task.paths = paths{here: "/nowhere", there: "/boot_id"}
		return task
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	h, made := fake(t)
	moduletest.Run(t, moduletest.Case{Host: h, New: func() module.Task { return made() }})
	moduletest.Same(t, "restarts", len(h.Changes()), 1)
	h, made = fake(t)
	moduletest.Run(t, moduletest.Case{Host: h, New: func() module.Task {
		task := made()
		task.Unconditional = true
		return task
	}})
	moduletest.Same(t, "restarts", len(h.Changes()), 1)
}

func TestReasons(t *testing.T) {
	t.Parallel()
	h, made := fake(t)
	h.On("new-kernel", "a b").Out("").Fail(1, "")
	task := made()
	task.OnlyIf = []string{"new-kernel", "a b"}
	moduletest.Same(t, "command", roottest.Planned(t, h, task), []string{"restart the host, as asked for by new-kernel 'a b'"})
	moduletest.Same(t, "command, the second time", roottest.Planned(t, h, task), nil)
	task = made()
	task.Unconditional = true
	moduletest.Same(t, "unconditional", roottest.Planned(t, h, task), []string{"restart the host, as in every run"})
	task = made()
	task.Marker = "/var/restart"
	moduletest.Same(t, "another marker", roottest.Planned(t, h, task), nil)
}

func TestTheRunnersOwnMachineIsRefused(t *testing.T) {
	t.Parallel()
	h, made := fake(t)
	task := made()
	task.paths.here = t.TempDir() + "/boot_id"
	if err := os.WriteFile(task.paths.here, []byte("first\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := "fake is the machine that kinit runs on, or a container on it: restart it yourself"
	if err := task.do(t.Context(), h); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	moduletest.Same(t, "commands", h.Changes(), nil)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`marker = "x"`:    `marker is "x", want an absolute path`,
		`within = "soon"`: `within is "soon", want a duration such as "90s"`,
		"unconditional = true\nonly_if = [\"true\"]": "unconditional needs no reason, want it without marker and only_if",
		"command = []": `command is empty, want one such as ["systemctl", "reboot"]`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args).(*Task), want)
	}
}

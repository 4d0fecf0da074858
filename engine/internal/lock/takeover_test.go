package lock

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"kinit/engine/internal/host"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/sshd"
)

// machineOf connects to this machine on behalf of a run.
func machineOf(t *testing.T, s host.Settings, run string) *host.Machine {
	t.Helper()
	lookup := func(context.Context, string) (host.Settings, error) { return s, nil }
	pool := host.NewConnections(lookup, nil)
	pool.Mark(run)
	t.Cleanup(func() { _ = pool.Close() })
	m, err := pool.Get(t.Context(), "h1")
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// pid waits for a file with a process number.
func pid(t *testing.T, file string) string {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if text, _ := os.ReadFile(file); strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
	}
	t.Fatalf("nothing was written to %s", file)
	return ""
}

// runs reports whether a process is there and has not ended.
func runs(pid string) bool {
	stat, err := os.ReadFile(filepath.Join("/proc", pid, "stat"))
	_, after, _ := strings.Cut(string(stat), ") ")
	return err == nil && !strings.HasPrefix(after, "Z")
}

// A takeover ends what the other run has at work, its connection included, and
// leaves alone what that run's commands have left behind for good.
func TestWhoTakesOverEndsWhatTheOtherRunHasAtWork(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"local", "ssh"} {
		t.Run(over, func(t *testing.T) {
			t.Parallel()
			w := nowhere(t)
			settings := host.Settings{Name: "h1", Local: true}
			if over == "ssh" {
				server := sshd.Start(t)
				settings = host.Settings{Name: "h1", Address: server.Host, Port: server.Port, User: server.User,
					IdentityFiles: []string{server.ClientKey}, HostKeys: []string{server.HostKey}, NoAgent: true}
			}
			dir, unique := t.TempDir(), rand.Text() // processes are searched on the whole machine
			first := machineOf(t, settings, "FIRST"+unique)
			token := "me@here/1/FIRST" + unique
			if _, err := w.place(token).do(t.Context(), first.Bind("", nil), take()); err != nil {
				t.Fatal(err)
			}
			exec := func(ctx context.Context, line string) error {
				_, err := first.Conn().Exec(ctx, transport.Process{Line: line, Fence: w.place(token).link()})
				return err
			}
			if err := exec(t.Context(), fmt.Sprintf("setsid sh -c 'echo $$ >%s/service; exec sleep 1000' >/dev/null 2>&1 &", dir)); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				ended <- exec(t.Context(), fmt.Sprintf("echo $$ >%[1]s/command; env -i /usr/bin/setsid -w /bin/sh -c 'echo $$ >%[1]s/child; trap \"\" TERM; while :; do sleep 1; done'; :", dir))
			}()
			service, command, child := pid(t, dir+"/service"), pid(t, dir+"/command"), pid(t, dir+"/child")
			second := machineOf(t, settings, "SECOND"+unique)
			a, err := w.place("you@there/2/SECOND").do(t.Context(), second.Bind("", nil), operation{name: "take", dead: token})
			if err != nil || !a.taken || a.was != token || a.ended < 3 {
				t.Fatalf("got %+v, %v", a, err)
			}
			if runs(command) || runs(child) {
				t.Errorf("after the takeover the command runs: %v, its child: %v", runs(command), runs(child))
			}
			if !runs(service) {
				t.Error("what the run had brought about was ended too")
			}
			killed(t, service)
			if err := <-ended; over == "ssh" && !errors.Is(err, transport.ErrUnreachable) {
				t.Errorf("the other run's command came to %v", err)
			}
			if err := exec(t.Context(), "touch "+dir+"/late"); !errors.Is(err, transport.ErrFenced) {
				t.Errorf("the other run's next command came to %v", err)
			}
			if there(dir + "/late") {
				t.Error("the other run goes on")
			}
		})
	}
}

// The search for a run's processes ends although one of them starts others all the time.
func TestTakeoverEndsACommandThatKeepsStartingProcesses(t *testing.T) {
	t.Parallel()
	w := nowhere(t)
	dir, unique := t.TempDir(), rand.Text()
	first := machineOf(t, host.Settings{Name: "h1", Local: true}, "FIRST"+unique)
	token := "me@here/1/FIRST" + unique
	if _, err := w.place(token).do(t.Context(), first.Bind("", nil), take()); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := first.Conn().Exec(t.Context(), transport.Process{Fence: w.place(token).link(),
			Line: "echo $$ >" + dir + "/command; trap '' TERM; while :; do sleep 1 & sleep 0.02; done"})
		ended <- err
	}()
	command := pid(t, dir+"/command")
	second := machineOf(t, host.Settings{Name: "h1", Local: true}, "SECOND"+unique)
	a, err := w.place("you@there/2/SECOND").do(t.Context(), second.Bind("", nil), operation{name: "take", dead: token})
	if err != nil || !a.taken || runs(command) {
		t.Errorf("got %+v, %v; the command runs: %v", a, err, runs(command))
		killed(t, command)
	}
	<-ended
}

// killed ends a process that a test has started.
func killed(t *testing.T, pid string) {
	t.Helper()
	var number int
	if _, err := fmt.Sscan(pid, &number); err != nil {
		t.Fatal(err)
	}
	process, err := os.FindProcess(number)
	if err == nil {
		err = process.Kill()
	}
	if err != nil {
		t.Error(err)
	}
}

// A run's name may be the beginning of another's.
func TestWhoTakesOverLeavesARunAloneWhoseNameIsLonger(t *testing.T) {
	t.Parallel()
	w := nowhere(t)
	dir, unique := t.TempDir(), rand.Text()
	token := "me@here/1/" + unique
	other := machineOf(t, host.Settings{Name: "h1", Local: true}, unique+"LONGER")
	ended := make(chan error, 1)
	ctx, end := context.WithCancel(t.Context())
	go func() {
		_, err := other.Conn().Exec(ctx, transport.Process{Line: "echo $$ >" + dir + "/command; exec sleep 1000"})
		ended <- err
	}()
	command := pid(t, dir+"/command")
	first := machineOf(t, host.Settings{Name: "h1", Local: true}, unique)
	if _, err := w.place(token).do(t.Context(), first.Bind("", nil), take()); err != nil {
		t.Fatal(err)
	}
	second := machineOf(t, host.Settings{Name: "h1", Local: true}, "SECOND"+unique)
	a, err := w.place("you@there/2/SECOND").do(t.Context(), second.Bind("", nil), operation{name: "take", dead: token})
	if err != nil || !a.taken || a.ended != 0 || !runs(command) {
		t.Errorf("got %+v, %v, the other's command runs: %v", a, err, runs(command))
	}
	end()
	<-ended
}

package run_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/module"
	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/transporttest/sshd"
)

// everyFault makes the faults happen at every message; without it, at some of each.
const everyFault = "KINIT_EVERY_FAULT"

// longest is how long a run may take whose connection has failed.
const longest = 90 * time.Second

// work is a task of a module that only needs files and programs that are everywhere, and
// what it leaves: a file, and a part of its content.
type work struct{ module, text, file, has string }

// count is the file in which the programs of tasks count how often they ran.
const count = "DIR/host/count"

// works are the modules for Linux that change nothing outside of a folder.
func works() []work {
	const key = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
	return []work{
		{"command", `argv = ["sh", "-c", "echo ran >> ` + count + `"]`, "count", "ran\n"},
		{"shell", `commands = "echo ran >> ` + count + `"`, "count", "ran\n"},
		{"script", `source = "DIR/script.sh"`, "count", "ran\n"},
		{"copy", "dest = \"DIR/host/copy\"\n content = \"text\"", "copy", "text"},
		{"directory", `path = "DIR/host/a/b"`, "a/b", ""},
		{"file", "path = \"DIR/host/file\"\n mode = \"0600\"", "file", ""},
		{"link", "path = \"DIR/host/link\"\n target = \"old\"", "link", "old\n"},
		{"line_in_file", "path = \"DIR/host/old\"\n line = \"new\"", "old", "old\nnew\n"},
		{"block_in_file", "path = \"DIR/host/old\"\n block = \"new\"", "old", "new\n"},
		{"ssh_key", `path = "DIR/host/key"`, "key.pub", "ssh-ed25519 "},
		{"secret", `path = "DIR/host/secret"`, "secret", ""},
		{"authorized_key", "user = \"root\"\n path = \"DIR/host/authorized\"\n key = \"" + key + "\"", "authorized", key},
		{"known_host", "path = \"DIR/host/known\"\n name = \"host.example.com\"\n key = \"" + key + "\"", "known", key},
		{"htpasswd", "path = \"DIR/host/htpasswd\"\n user = \"ann\"\n password = \"correct-horse\"", "htpasswd", "ann:"},
		{"archive", "source = \"DIR/host/tree\"\n dest = \"DIR/host/tree.tar.gz\"", "tree.tar.gz", ""},
	}
}

// TestTheConnectionFailsAtMessagesOfModules lets the connection to a real SSH server fail
// while a module works: cut, stalled or half open, before or after the server got the
// message. Each run ends in time and with the right verdict, no program runs twice in it,
// and the run after it finds or does what is left.
func TestTheConnectionFailsAtMessagesOfModules(t *testing.T) {
	t.Parallel()
	server := sshd.Start(t)
	var made atomic.Int32
	t.Cleanup(func() {
		fmt.Printf("%d faults at messages of %d modules\n", made.Load(), len(works()))
		if !t.Failed() && int(made.Load()) < len(works()) {
			t.Errorf("only %d faults were made", made.Load())
		}
	})
	for i, w := range works() {
		t.Run(w.module, func(t *testing.T) {
			t.Parallel()
			s := newFar(t, server, w)
			s.proxy.Set(netfault.Plan{})
			if result := s.run(t); result.Status != event.Changed {
				t.Fatalf("without a fault it is %s: %s", result.Status, result.Message)
			}
			messages, _ := s.proxy.Seen()
			step := max(1, messages/2)
			if os.Getenv(everyFault) != "" {
				step = 1
			}
			for at := 1 + i%step; at <= messages; at += step {
				for _, p := range plans(at, step) {
					if s.fails(t, p) {
						made.Add(1)
					}
				}
			}
		})
	}
}

// plans are the faults at a message: all, or one of them where only some messages count.
func plans(at, step int) []netfault.Plan {
	var all []netfault.Plan
	for _, fault := range []netfault.Fault{netfault.Cut, netfault.Stall, netfault.HalfOpen} {
		for _, after := range []bool{false, true} {
			all = append(all, netfault.Plan{Fault: fault, At: at, After: after})
		}
	}
	if step == 1 {
		return all
	}
	return all[at%len(all):][:1]
}

// far is a playbook of one task on a host behind a proxy.
type far struct {
	job    *job
	plan   *plan.Plan
	work   work
	proxy  *netfault.Proxy
	server *sshd.Server
}

func newFar(t *testing.T, server *sshd.Server, w work) *far {
	t.Helper()
	j := newJob(t, "far")
	write(t, filepath.Join(j.dir, "script.sh"), "#!/bin/sh\necho ran >> "+strings.ReplaceAll(count, "DIR", j.dir)+"\n")
	s := &far{job: j, work: w, server: server, proxy: netfault.New(t, server.Addr)}
	s.plan = j.build(fmt.Sprintf("task %q \"x\" {\n host = \"far\"\n %s\n}\n", w.module, w.text))
	return s
}

// run runs the playbook over a new connection, with times that are shorter than those
// that hold outside of tests. What the host had is gone.
func (s *far) run(t *testing.T) run.TaskResult {
	t.Helper()
	folder := filepath.Join(s.job.dir, "host")
	if err := os.RemoveAll(folder); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, "tree"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "old"), "old\n")
	write(t, filepath.Join(folder, "tree", "page"), "page\n")
	return s.again(t)
}

// again runs the playbook on the host as it is.
func (s *far) again(t *testing.T) run.TaskResult {
	t.Helper()
	address, port, _ := strings.Cut(s.proxy.Address, ":")
	settings := host.Settings{
		Name: "far", Address: address, User: s.server.User, IdentityFiles: []string{s.server.ClientKey}, NoAgent: true,
		HostKeys: []string{s.server.HostKey}, KeepAlive: 300 * time.Millisecond, ConnectTimeout: 10 * time.Second,
		Manifests: filepath.Join(s.job.dir, "clusters"), OS: module.Linux,
	}
	_, _ = fmt.Sscan(port, &settings.Port)
	pool := host.NewPool(func(context.Context, string) (host.Settings, error) { return settings, nil }, s.job.redactor)
	defer pool.Close()
	events := &log{make(chan event.Event, 10_000)}
	result := run.Run(s.job.ctx, s.plan, &plan.Values{}, pool, run.Options{Forks: 1, Events: events, Redactor: s.job.redactor})
	return result.Tasks[0]
}

// fails runs the playbook with a fault, and then without one. It tells whether the fault
// has happened.
func (s *far) fails(t *testing.T, p netfault.Plan) bool {
	t.Helper()
	what := fmt.Sprintf("%s at message %d, which arrives: %t", p.Fault, p.At, p.After)
	s.proxy.Set(p)
	began := time.Now()
	first := s.run(t)
	if took := time.Since(began); took > longest {
		t.Errorf("%s: it took %s", what, took)
	}
	_, struck := s.proxy.Seen()
	s.proxy.Set(netfault.Plan{})
	ran := strings.Count(s.content("count"), "ran\n")
	if ran > 1 {
		t.Errorf("%s: the program ran %d times", what, ran)
	}
	switch first.Status {
	case event.Changed:
		s.mustHave(t, what)
	case event.Unreachable:
		if !strings.Contains(first.Message, "unreachable") {
			t.Errorf("%s: it is unreachable, and says: %s", what, first.Message)
		}
	default:
		t.Errorf("%s: it is %s: %s", what, first.Status, first.Message)
	}
	if second := s.again(t); second.Status != event.Changed && second.Status != event.OK {
		t.Errorf("%s: the run after it is %s: %s", what, second.Status, second.Message)
	}
	s.mustHave(t, what+", and the run after it")
	if now := strings.Count(s.content("count"), "ran\n"); s.work.file == "count" && now != ran+1 {
		t.Errorf("%s: the program ran %d times, and then %d times in one run", what, ran, now-ran)
	}
	if left, _ := filepath.Glob(filepath.Join(s.job.dir, "host", ".*.kinit-*")); first.Status == event.Changed && len(left) > 0 {
		t.Errorf("%s: temporary files are left: %q", what, left)
	}
	return struck
}

func (s *far) content(name string) string {
	text, _ := os.ReadFile(filepath.Join(s.job.dir, "host", name)) // none has nothing
	return string(text)
}

// mustHave checks what the work leaves.
func (s *far) mustHave(t *testing.T, what string) {
	t.Helper()
	if _, err := os.Lstat(filepath.Join(s.job.dir, "host", s.work.file)); err != nil || !strings.Contains(s.content(s.work.file), s.work.has) {
		t.Errorf("%s: %s has %q, error %v", what, s.work.file, s.content(s.work.file), err)
	}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

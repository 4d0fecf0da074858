package run_test

import (
	gocmp "cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/host"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/run"
	"kinit/engine/internal/spec"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/modules"
)

// job is a playbook in a folder of its own, whose hosts are all this machine.
type job struct {
	t        *testing.T
	dir      string
	hosts    string // such as "a,b"
	forks    int
	check    bool
	ahead    bool
	tried    atomic.Int32 // attempts to connect
	selected plan.Selection
	ctx      context.Context
	pending  string // identifies the playbook on the hosts; empty keeps no notifications
	spec     string // the spec's name among those of the playbook; empty is that of the playbook
	up       bool   // hosts whose name begins with down answer
	redactor *secret.Redactor
	confirm  run.Confirm
	events   *log
	sink     event.Sink // in place of events, if set
	timeout  time.Duration
	silent   int           // the port of hosts whose server says nothing
	slow     time.Duration // how long a connection takes at least
	shell    []string      // what hosts say when they are measured, in turn; else they are ordinary
}

// log keeps the events.
type log struct{ events chan event.Event }

func (l *log) Emit(e event.Event) { l.events <- e }

func newJob(t *testing.T, hosts string) *job {
	t.Helper()
	return &job{t: t, dir: t.TempDir(), hosts: hosts, forks: 1, ctx: t.Context(), redactor: &secret.Redactor{},
		events: &log{make(chan event.Event, 10_000)}}
}

// block is the text of a block of a playbook, of a kind such as `task "copy"`.
func block(kind, name string, args ...string) string {
	return fmt.Sprintf("%s %q {\n  %s\n}\n", kind, name, strings.Join(args, "\n  "))
}

// build makes the plan of a playbook. DIR in its text is the folder of the job.
func (j *job) build(text string) *plan.Plan {
	j.t.Helper()
	p, diags := j.plan(text)
	if diags.HasErrors() {
		j.t.Fatal(diags)
	}
	return p
}

// mistakes are those of a playbook.
func (j *job) mistakes(text string) string {
	j.t.Helper()
	_, diags := j.plan(text)
	return diags.Error()
}

func (j *job) plan(text string) (*plan.Plan, diag.List) {
	j.t.Helper()
	text = strings.ReplaceAll(text, "DIR", j.dir)
	file := filepath.Join(j.dir, "site.hcl")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		j.t.Fatal(err)
	}
	var inv strings.Builder
	for _, name := range strings.Split(j.hosts, ",") {
		fmt.Fprintf(&inv, "host %q { transport = \"local\" }\n", name)
	}
	if err := os.WriteFile(filepath.Join(j.dir, "inventory.hcl"), []byte(inv.String()), 0o644); err != nil {
		j.t.Fatal(err)
	}
	src := spec.Sources{Cwd: j.dir, Home: j.dir}
	sp, diags := spec.Load(src, file)
	isrc := inventory.Sources{Cwd: j.dir, Home: j.dir}
	all, more := inventory.Load(j.ctx, isrc, []string{"inventory.hcl"})
	diags = append(diags, more...)
	selected, more := all.Select(j.ctx, isrc, []string{j.hosts})
	diags = append(diags, more...)
	if diags.HasErrors() {
		j.t.Fatal(diags)
	}
	scope, more := eval.New(eval.Input{Spec: sp, Sources: src, Hosts: inventory.Value(selected),
		Run: eval.Run{Hosts: strings.Split(j.hosts, ",")}, Redactor: j.redactor})
	diags = append(diags, more...)
	diags = append(diags, scope.SetCluster(cty.NilVal)...)
	p, more := plan.Build(plan.Input{Spec: sp, Scope: scope, Inventory: all, Hosts: selected, Kinds: modules.All(), Selection: j.selected})
	return p, append(diags, more...)
}

// run does a playbook.
func (j *job) run(text string) *run.Result {
	j.t.Helper()
	p := j.build(text)
	pool := host.NewConnectionsWith(func(_ context.Context, name string) (host.Settings, error) {
		if strings.HasPrefix(name, "down") && !j.up {
			return host.Settings{Name: name, Address: "127.0.0.1", Port: 1}, nil
		}
		if strings.HasPrefix(name, "silent") {
			return host.Settings{Name: name, Address: "127.0.0.1", Port: j.silent, NoAgent: true, ConnectTimeout: time.Second}, nil
		}
		if strings.HasPrefix(name, "windows") {
			return host.Settings{Name: name, OS: module.Windows}, nil
		}
		if j.shell != nil {
			return host.Settings{Name: name, Local: true}, nil
		}
		return host.Settings{Name: name, Local: true, Pace: pace.Ordinary}, nil
	}, j.redactor, j.connect)
	defer pool.Close()
	values, sink := &plan.Values{}, event.Sink(j.events)
	if j.sink != nil {
		sink = j.sink
	}
	return run.Run(j.ctx, p, values, pool, run.Options{Check: j.check, Ahead: j.ahead, Forks: j.forks, Confirm: j.confirm, Events: sink,
		Redactor: j.redactor, Timeout: j.timeout, Pending: run.Pending{Playbook: j.pending, Spec: gocmp.Or(j.spec, j.pending), Folder: filepath.Join(j.dir, "pending")}})
}

// connect takes this machine for a Windows host too: nothing is done on one here.
func (j *job) connect(ctx context.Context, s host.Settings, via transport.Conn) (transport.Conn, error) {
	j.tried.Add(1)
	time.Sleep(j.slow)
	if s.OS == module.Windows {
		return local.New(), nil
	}
	conn, err := host.Open(ctx, s, via)
	if err != nil || j.shell == nil {
		return conn, err
	}
	return &slowShell{Conn: conn, says: j.shell}, nil
}

// show is how the tasks ended, a line each, in plan order.
func show(result *run.Result) []string {
	var lines []string
	for _, t := range result.Tasks {
		line := t.Address + " " + string(t.Status)
		if t.Status == event.Skipped {
			line += ": " + t.Message
		}
		lines = append(lines, line)
	}
	return lines
}

// order is what was started, in the order of time.
func (j *job) order() []string {
	var started []string
	for {
		select {
		case e := <-j.events.events:
			if e.Kind == event.TaskStarted {
				started = append(started, e.Task)
			}
		default:
			return started
		}
	}
}

func check(t *testing.T, want, got []string) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// write makes a file of the job.
func (j *job) write(name, text string) {
	j.t.Helper()
	if err := os.WriteFile(filepath.Join(j.dir, name), []byte(text), 0o644); err != nil {
		j.t.Fatal(err)
	}
}

// read is a file of the job.
func (j *job) read(name string) string {
	j.t.Helper()
	text, err := os.ReadFile(filepath.Join(j.dir, name))
	if err != nil {
		return "none"
	}
	return string(text)
}

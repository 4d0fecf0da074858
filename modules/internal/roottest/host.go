// Package roottest is this machine for tests that must change it: a mount and
// UTS namespace of the test's own, whose root is an overlay over the real one.
//
// Programs are the real ones, useradd and mount and apt-get, and what they write
// to /etc, /var or /home goes to memory and ends with the test. Processes and the
// network are apart only in machines that Apart makes; a running systemd is not.
package roottest

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/transport/local"
	"kinit/engine/transport/transporttest/ownroot"
)

// Host is the machine with a root of its own.
type Host struct {
	*moduletest.Local

	files  module.Files // below the overlay
	base   string       // the folder of the overlay, in the namespace
	pid    string       // the process that keeps the namespace
	enter  []string     // what comes before a command that is to run there
	ignore []string
}

// New makes a machine. Without root or overlays the test is skipped, or fails when
// KINIT_REQUIRE names overlay. owner may be empty.
func New(t testing.TB, owner string, programs ...string) *Host {
	t.Helper()
	return start(t, owner, ownroot.Start, nil, programs)
}

// Apart makes a machine like New. Its network is apart too, with a loopback device that is
// down, and so are its processes, which end with the test.
func Apart(t testing.TB, owner string, programs ...string) *Host {
	t.Helper()
	return start(t, owner, ownroot.Apart, []string{"--net", "--pid"}, programs)
}

func start(t testing.TB, owner string, root func(testing.TB, string, ...string) (string, error), also, programs []string) *Host {
	t.Helper()
	for _, program := range append([]string{"unshare", "nsenter", "chroot"}, programs...) {
		need.Programs(t, program, program)
	}
	if os.Geteuid() != 0 {
		need.Missing(t, "overlay", "not root")
	}
	h := &Host{Local: moduletest.LocalHost(t, owner), base: t.TempDir()}
	pid, err := root(t, h.base)
	if err != nil {
		need.Missing(t, "overlay", err.Error())
	}
	h.pid, h.enter = pid, append(ownroot.Enter(pid), also...)
	conn := local.Within(ownroot.Enter(pid)...)
	t.Cleanup(func() { _ = conn.Close() })
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatalf("open the files of the overlay: %v", err)
	}
	h.files = files
	return h
}

// Run runs a command in the namespace.
func (h *Host) Run(ctx context.Context, c module.Command) (module.Output, error) {
	enter := slices.Clone(h.enter)
	if c.Dir != "" {
		enter = append(enter, "env", "--chdir="+c.Dir)
		c.Dir = ""
	}
	c.Argv = append(enter, c.Argv...)
	return h.Local.Run(ctx, c)
}

// Files returns the files below the overlay.
func (h *Host) Files() module.Files { return h.files }

// Ignore leaves folders out of snapshots: what programs keep for themselves when
// they only read. Logs and caches are left out always.
func (h *Host) Ignore(folders ...string) { h.ignore = append(h.ignore, folders...) }

// Snapshot shows all that was changed since the start, the mounts of the overlay, the
// host's name and the marks. Mounts beside it are the machine's own: one that goes there goes
// here too.
func (h *Host) Snapshot() string {
	script := `base=$1; cd "$1/upper" && shift && find . \( "$@" \) -prune -o ! -type d -printf '%p %M %U:%G %T@ %l\n' -type f -exec cat {} +
grep -F " $base/" /proc/self/mountinfo; uname -n`
	argv := []string{"nsenter", "--target=" + h.pid, "--mount", "--uts", "sh", "-c", script, "sh", h.base}
	for i, folder := range append([]string{"/var/cache", "/var/log"}, h.ignore...) {
		if i > 0 {
			argv = append(argv, "-o")
		}
		argv = append(argv, "-path", "."+folder)
	}
	out, err := h.Local.Run(context.Background(), module.Command{Argv: argv})
	if err != nil {
		return err.Error()
	}
	return out.Stdout + h.Local.Snapshot()
}

// Shell runs a script on the machine and returns what it prints. A script that
// fails fails the test.
func (h *Host) Shell(t testing.TB, script string, args ...string) string {
	t.Helper()
	out, err := h.Run(context.Background(), module.Command{Argv: append([]string{"sh", "-euc", script, "sh"}, args...)})
	if err != nil {
		t.Fatalf("%s: %v", script, err)
	}
	return out.Stdout
}

// Text is a file's content; a missing one fails the test.
func (h *Host) Text(t testing.TB, name string) string {
	t.Helper()
	text, err := module.ReadFile(context.Background(), h.Files(), name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Put makes a file with its folders.
func (h *Host) Put(t testing.TB, name, content string, attr module.Attr) {
	t.Helper()
	h.Shell(t, `mkdir -p -- "$(dirname -- "$1")"`, name)
	if err := h.Files().Write(context.Background(), name, strings.NewReader(content), attr); err != nil {
		t.Fatal(err)
	}
}

// Contract runs the suite of a module on a machine without an owner and on one of the cluster "demo". Then there is
// no mark, and the facts are what they were before.
func Contract(t *testing.T, host func(owner string) *Host, made, absent func() module.Task, facts func(*Host) string) {
	t.Helper()
	for _, owner := range []string{"", "demo"} {
		h := host(owner)
		before := facts(h)
		moduletest.Run(t, moduletest.Case{Host: h, New: made, Absent: absent})
		moduletest.Marks(t, h)
		moduletest.Same(t, "facts", facts(h), before)
	}
}

// Planned is the lines of a task's steps, or its error as the only one.
func Planned(t testing.TB, h module.Host, task module.Task) []string {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	if err != nil {
		return []string{"error: " + err.Error()}
	}
	return lists.Map(steps, module.Step.String)
}

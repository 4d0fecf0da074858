// Package winhost is a module.Host straight on a simulated Windows machine, without a
// network: what tests of modules run on.
package winhost

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf16"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/machinetest"
	"kinit/test/winsim/node"
)

//go:embed bootstrap.ps1
var bootstrap string

// Options are what the machine is made of; zero values are those of Windows Server 2022
// in English, named as the host.
type Options struct {
	Release  string // 2k19, 2k22 or 2k25
	Language string
	Owner    string // of what is made, or empty
	machine.Options
}

// Host is a simulated machine as a module.Host. Its commands run as the system.
type Host struct {
	*machine.Machine
	t        testing.TB
	owner    string
	redactor secret.Redactor

	mu       sync.Mutex
	marks    []module.Mark
	progress []event.Progress
}

var _ module.Host = (*Host)(nil)

// New boots a machine that runs until the test ends. What it is asked for and does not
// know fails the test.
func New(t testing.TB, o Options) *Host {
	t.Helper()
	o.Release = cmp.Or(o.Release, "2k22")
	release, ok := machine.FindRelease(o.Release)
	if !ok {
		t.Fatalf("no release %q of Windows Server", o.Release)
	}
	o.Options.Release, o.Options.Language = release, o.Language
	if o.Folder == "" {
		o.Folder = t.TempDir()
	}
	m, err := node.New(o.Options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // after the machine is closed
		for _, what := range m.Unknowns() {
			t.Errorf("the simulator was asked for what it does not know: %s", what)
		}
	})
	machinetest.Run(t, m)
	return &Host{Machine: m, t: t, owner: o.Owner}
}

// Name is the machine's name.
func (h *Host) Name() string { return h.HostName() }

// OS is Windows.
func (h *Host) OS() module.OS { return module.Windows }

// Run runs a command as the system.
func (h *Host) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if err := ctx.Err(); err != nil {
		return module.Output{}, err
	}
	begin := time.Now()
	start, shown := h.start(c)
	var stdout, stderr bytes.Buffer
	lines := &moduletest.LineWriter{Call: c.Line}
	start.Stdout, start.Stderr = io.MultiWriter(&stdout, lines), io.MultiWriter(&stderr, lines)
	start.Env = h.Environment("S-1-5-18")
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		start.Env.Set(name, c.Env[name])
	}
	start.Dir = strings.ReplaceAll(c.Dir, "/", `\`)
	p, err := h.Launch(ctx, start)
	if errors.Is(err, machine.ErrOff) {
		return module.Output{}, fmt.Errorf("%w: %w", transport.ErrUnreachable, err)
	}
	if err != nil {
		return module.Output{}, fmt.Errorf("start %s: %w", shown, err)
	}
	code := p.Wait()
	if err := ctx.Err(); err != nil {
		return module.Output{}, err
	}
	if err := p.Failure(); err != nil {
		return module.Output{}, err
	}
	out := module.Output{Stdout: stdout.String(), Stderr: stderr.String(), Duration: time.Since(begin)}
	if !h.On() {
		return out, fmt.Errorf("%w: the machine went down", transport.ErrUnreachable)
	}
	if code == 0 {
		return out, nil
	}
	return out, &module.ExitError{Command: h.Redact(shown), Code: int(code), Stdout: h.Redact(out.Stdout), Stderr: h.Redact(out.Stderr)}
}

// start is how a command is started, and how it is shown.
func (h *Host) start(c module.Command) (machine.Start, string) {
	stdin := cmp.Or[io.Reader](c.Stdin, strings.NewReader(""))
	if c.PowerShell == "" {
		return machine.Start{Program: c.Argv[0], Args: c.Argv[1:], Stdin: stdin}, machine.JoinArgs(c.Argv)
	}
	script := base64.StdEncoding.EncodeToString([]byte(c.PowerShell))
	header := fmt.Sprintf("%08d%s", len(script), script)
	return machine.Start{
		Program: machine.PowerShellPath, Stdin: io.MultiReader(strings.NewReader(header), stdin),
		Args: []string{"-NoLogo", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-EncodedCommand", encode(bootstrap)},
	}, cmp.Or(c.Name, c.PowerShell)
}

// encode is a script as -EncodedCommand takes it.
func encode(script string) string {
	var b bytes.Buffer
	for _, unit := range utf16.Encode([]rune(script)) {
		b.Write([]byte{byte(unit), byte(unit >> 8)})
	}
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Files is the machine's file system.
func (h *Host) Files() module.Files { return files{h.Machine} }

// Dial connects as the machine does.
func (h *Host) Dial(ctx context.Context, kind, address string) (net.Conn, error) {
	return h.Machine.Dial(ctx, kind, address)
}

// Socket fails: Windows has no unix sockets here.
func (h *Host) Socket(context.Context, string) (string, error) {
	return "", errors.New("a Windows host has no unix sockets")
}

// Owner is who owns what is made.
func (h *Host) Owner() string { return h.owner }

// Instance is empty: marks of this host have no id.
func (h *Host) Instance() string { return "" }

// Own keeps a mark; of one of the same kind and id it changes only the checksums.
func (h *Host) Own(ctx context.Context, m module.Mark) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.owner == "" || ctx.Err() != nil {
		return ctx.Err()
	}
	if i := slices.IndexFunc(h.marks, func(old module.Mark) bool { return old.Kind == m.Kind && old.ID == m.ID }); i >= 0 {
		h.marks[i] = h.marks[i].Merge(m)
	} else {
		h.marks = append(h.marks, m)
	}
	return nil
}

// Disown removes the mark of that kind and id.
func (h *Host) Disown(ctx context.Context, m module.Mark) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() == nil {
		h.marks = slices.DeleteFunc(h.marks, func(old module.Mark) bool { return old.Kind == m.Kind && old.ID == m.ID })
	}
	return ctx.Err()
}

// Marks lists the marks in the order they were made.
func (h *Host) Marks(ctx context.Context) ([]module.Mark, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.marks), ctx.Err()
}

// Report keeps a progress report.
func (h *Host) Report(p event.Progress) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.progress = append(h.progress, p)
}

// Reports returns every progress report so far.
func (h *Host) Reports() []event.Progress {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.progress)
}

// Redact masks the secrets the host was told.
func (h *Host) Redact(text string) string { return h.redactor.Redact(text) }

// AddSecret makes secrets known.
func (h *Host) AddSecret(values ...secret.Value) {
	for _, v := range values {
		h.redactor.Add(v.Reveal())
	}
}

// Put makes a file with its folders, for tests. The path has slashes.
func (h *Host) Put(path, content string) {
	h.t.Helper()
	if err := h.Machine.Files.Mkdir(parent(path)); err != nil {
		h.t.Fatal(err)
	}
	if err := h.Machine.Files.WriteFile(path, []byte(content)); err != nil {
		h.t.Fatal(err)
	}
}

// Text returns a file's content and whether there is one, for tests.
func (h *Host) Text(path string) (string, bool) {
	content, err := h.Machine.Files.ReadFile(path)
	return string(content), err == nil
}

func parent(path string) string { return path[:max(0, strings.LastIndexAny(path, `/\`))] }

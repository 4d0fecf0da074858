package host

import (
	"context"
	"errors"
	"net"
	"path"
	"sync"
	"sync/atomic"

	"kinit/engine/event"
	"kinit/engine/internal/instance"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport"
)

// Machine is one connected machine.
type Machine struct {
	name     string
	settings Settings
	conn     transport.Conn
	files    module.Files
	redactor *secret.Redactor
	fence    string            // must exist for any command or change; empty means no condition
	keeper   Keeper            // of the fence
	instance instance.Instance // of the owner's marks
	begin    func() error      // called before its first mark
	speed    speed

	owning sync.Mutex // held while a mark is read and made
	last   int64      // sequence of the last mark, in ns since 1970
}

func newMachine(name string, s Settings, conn transport.Conn, files module.Files, redactor *secret.Redactor) *Machine {
	if s.Manifests == "" {
		s.Manifests = module.Manifests
		if s.system() == module.Windows {
			s.Manifests = module.WindowsManifests
		}
	}
	return &Machine{name: name, settings: s, conn: conn, files: files, redactor: redactor, speed: speed{fixed: s.fixedPace()}}
}

// Name is the machine's name.
func (m *Machine) Name() string { return m.name }

// OS is the family of the machine's operating system.
func (m *Machine) OS() module.OS { return m.settings.system() }

// escape makes a file name of any text.
func (m *Machine) escape(text string) string {
	if m.OS() == module.Windows {
		return escapeWindows(text)
	}
	return escape(text)
}

// Conn returns the machine's connection, for locks and facts.
func (m *Machine) Conn() transport.Conn { return m.conn }

// Bind returns the machine as one task sees it. What the task makes belongs to
// the owner; report may be nil.
func (m *Machine) Bind(owner string, report func(event.Progress)) module.Host {
	return &bound{Machine: m, owner: owner, report: report, files: m.files, fence: m.fence}
}

type bound struct {
	*Machine
	owner   string
	report  func(event.Progress)
	files   module.Files // as the machine's when it was bound, like the fence
	fence   string
	dialled atomic.Bool // a connection was used, or may be

	watching sync.Mutex
	lost     func(context.Context) bool // whether what was dialled was lost; nil if it is not known
}

var _ module.Host = (*bound)(nil)

func (b *bound) Owner() string       { return b.owner }
func (b *bound) Files() module.Files { return b.files }

func (b *bound) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	if err := b.dialling(ctx); err != nil {
		return nil, err
	}
	return b.conn.Dial(ctx, network, address)
}

func (b *bound) Socket(ctx context.Context, path string) (string, error) {
	if err := b.dialling(ctx); err != nil {
		return "", err
	}
	return b.conn.Socket(ctx, path)
}

// dialling comes before a connection is used.
func (b *bound) dialling(ctx context.Context) error {
	b.dialled.Store(true)
	if err := b.check(ctx); err != nil {
		return err
	}
	b.watching.Lock()
	defer b.watching.Unlock()
	conn, ok := b.conn.(transport.Watchable)
	if !ok || b.lost != nil {
		return nil
	}
	lost, err := conn.Watch(ctx)
	if err == nil {
		b.lost = lost
	}
	return err
}

// Lost reports whether a task may have failed because the machine's connection was lost: what
// it dialled over that one has then just ended.
func Lost(ctx context.Context, h module.Host, err error) bool {
	if w, ok := h.(within); ok {
		return Lost(ctx, w.Host, err)
	}
	b, ok := h.(*bound)
	if !ok || err == nil || ctx.Err() != nil || errors.Is(err, transport.ErrUnreachable) {
		return false
	}
	b.watching.Lock()
	defer b.watching.Unlock()
	return b.lost != nil && b.lost(ctx)
}

func (b *bound) Report(p event.Progress) {
	if b.report == nil {
		return
	}
	p.Text = b.Redact(p.Text)
	b.report(p)
}

func (b *bound) Redact(text string) string { return b.redactor.Redact(text) }

func (b *bound) AddSecret(values ...secret.Value) {
	for _, value := range values {
		b.redactor.Add(value.Reveal())
	}
}

// folder returns the folder of the owner's marks.
func (b *bound) folder() string {
	return path.Join(b.settings.Manifests, b.escape(b.owner), "owned")
}

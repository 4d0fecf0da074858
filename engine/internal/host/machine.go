package host

import (
	"cmp"
	"context"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"kinit/engine/event"
	"kinit/engine/internal/instance"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/engine/secret"
	"kinit/engine/transport"
)

// Keeper knows whether the run may work on a machine.
type Keeper interface {
	// Fenced records that the machine has refused a command of the run.
	Fenced(name string)
	// Away announces that the machine will be away for at most within. The caller calls
	// back when it has returned.
	Away(ctx context.Context, name string, within time.Duration) (back func(), err error)
}

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

	changes *atomic.Uint64        // of marks, by the run on all machines
	reading chan struct{}         // holds a token while the marks below are used
	marks   map[string]knownMarks // by their owner
}

func newMachine(name string, s Settings, conn transport.Conn, files module.Files, redactor *secret.Redactor) *Machine {
	if s.Manifests == "" {
		s.Manifests = module.Manifests
		if s.system() == module.Windows {
			s.Manifests = module.WindowsManifests
		}
	}
	return &Machine{
		name: name, settings: s, conn: conn, files: files, redactor: redactor, speed: speed{fixed: s.fixedPace()},
		changes: &atomic.Uint64{}, reading: make(chan struct{}, 1), marks: map[string]knownMarks{},
	}
}

// Name is the machine's name.
func (m *Machine) Name() string { return m.name }

// OS is the family of the machine's operating system.
func (m *Machine) OS() module.OS { return m.settings.system() }

// Itself reports whether it is the machine that kinit runs on, as the user of kinit.
func (m *Machine) Itself() bool { return m.settings.Local && m.settings.Become.User == "" }

// Root reports whether commands on a Linux machine run as root.
func (m *Machine) Root() bool {
	user := cmp.Or(m.settings.Become.User, m.settings.User)
	return user == "root" || user == "" && os.Geteuid() == 0 // over SSH, no user means the current one
}

// escape makes a file name of any text.
func (m *Machine) escape(text string) string {
	if m.OS() == module.Windows {
		return escapeWindows(text)
	}
	return escape(text)
}

// Conn returns the machine's connection, for locks and facts.
func (m *Machine) Conn() transport.Conn { return m.conn }

// Bind returns the machine without an environment of a task. What is made belongs to the owner;
// report may be nil.
func (m *Machine) Bind(owner string, report func(event.Progress)) module.Host {
	return m.Within(nil, "", owner, report)
}

// Within returns the machine as one task sees it, whose commands run with more environment
// variables and in a working directory. Both may be empty.
func (m *Machine) Within(env map[string]string, dir, owner string, report func(event.Progress)) module.Host {
	return &bound{Machine: m, owner: owner, report: report, env: env, dir: dir, files: m.files, fence: m.fence}
}

type bound struct {
	*Machine
	owner   string
	report  func(event.Progress)
	env     map[string]string
	dir     string
	files   module.Files // as the machine's when it was bound, like the fence
	fence   string
	dialled atomic.Bool // a connection was used, or may be

	watching sync.Mutex
	lost     func(context.Context) bool // whether what was dialled was lost; nil if it is not known
}

var _ module.Host = (*bound)(nil)

func (b *bound) Owner() string       { return b.owner }
func (b *bound) Files() module.Files { return b.files }

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

// speed is how slow a machine is. Callers share one measurement.
type speed struct {
	fixed float64 // from the settings; 0 means measure

	mu      sync.Mutex
	slowest float64       // the slowest measurement, 0 before the first
	busy    chan struct{} // closed when the current measurement ends; nil without one
}

func (s *speed) known() float64 {
	if s.fixed > 0 {
		return s.fixed
	}
	return max(s.slowest, pace.Ordinary)
}

// begin begins a measurement, or returns the current one, or nil if the machine is not
// measured.
func (s *speed) begin() (busy chan struct{}, mine bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fixed > 0 || s.busy != nil {
		return s.busy, false
	}
	s.busy = make(chan struct{})
	return s.busy, true
}

func (s *speed) end() {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.busy)
	s.busy = nil
}

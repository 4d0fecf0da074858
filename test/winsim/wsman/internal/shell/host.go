// Package shell keeps the text-based remote shells of WinRM and the commands in
// them, as MS-WSMV 3.1.4 describes them: who may use which, how many there may be,
// how input and output wait for each other. It knows nothing of HTTP.
package shell

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/process"
	"kinit/test/winsim/wsman/internal/soap"
)

// Quotas are limits of winrm/config/winrs and winrm/config/service, by user where
// nothing else is said. A field that is 0 has Windows' own value.
type Quotas struct {
	Shells      int           // MaxShellsPerUser, 30
	Users       int           // MaxConcurrentUsers, 10, those with shells
	Operations  int           // MaxConcurrentOperationsPerUser, 1500
	Processes   int           // MaxProcessesPerShell, 25
	IdleTimeout time.Duration // IdleTimeout of shells that name none, 2 hours
}

// withDefaults are the quotas with Windows' own where nothing is set.
func (q Quotas) withDefaults() Quotas {
	q.Shells = cmp.Or(q.Shells, 30)
	q.Users = cmp.Or(q.Users, 10)
	q.Operations = cmp.Or(q.Operations, 1500)
	q.Processes = cmp.Or(q.Processes, 25)
	q.IdleTimeout = cmp.Or(q.IdleTimeout, 2*time.Hour)
	return q
}

// Hooks are told what happens.
type Hooks struct {
	Started func(line string) // a command is about to run
	Failed  func(error)       // the runner did not know what to do
}

// Host holds the shells of a machine, from one start of it to the next. A shell's
// mutex is taken before the host's.
type Host struct {
	runner process.Runner
	quotas Quotas
	hooks  Hooks

	mu      sync.Mutex
	shells  map[string]*Shell
	closed  bool
	running sync.WaitGroup
}

// NewHost makes a host without shells.
func NewHost(runner process.Runner, quotas Quotas, hooks Hooks) *Host {
	return &Host{runner: runner, quotas: quotas.withDefaults(), hooks: hooks, shells: map[string]*Shell{}}
}

// Create opens a shell for a user.
func (h *Host) Create(user, clientIP string, asked *soap.Shell, options map[string]string) (*Shell, *soap.Fault) {
	s, fault := newShell(h, user, clientIP, asked, options)
	if fault != nil {
		return nil, fault
	}
	if fault := h.add(s); fault != nil {
		return nil, fault
	}
	s.rest()
	return s, nil
}

func (h *Host) add(s *Shell) *soap.Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return soap.NewFault(soap.NotReady)
	}
	if fault := h.admit(s.Owner); fault != nil {
		return fault
	}
	if _, exists := h.shells[s.ID]; exists {
		return soap.NewFault(soap.ShellExists)
	}
	h.shells[s.ID] = s
	return nil
}

// admit reports whether a user may have one more shell.
func (h *Host) admit(user string) *soap.Fault {
	users := map[string]int{}
	for _, s := range h.shells {
		users[strings.ToLower(s.Owner)]++
	}
	own := users[strings.ToLower(user)]
	switch {
	case own == 0 && len(users) >= h.quotas.Users:
		return soap.NewFault(soap.TooManyUsers)
	case own >= h.quotas.Shells:
		return soap.NewFault(soap.TooManyShells, h.quotas.Shells)
	case h.operations(user) >= h.quotas.Operations:
		return soap.NewFault(soap.TooManyOperations, h.quotas.Operations)
	}
	return nil
}

// operations counts a user's shells and every command that was ever started in
// them: terminating a command of a text-based shell does not lower the count
// (MS-WSMV, product behaviour note 118), deleting the shell does.
func (h *Host) operations(user string) int {
	n := 0
	for _, s := range h.shells {
		if strings.EqualFold(s.Owner, user) {
			n += 1 + s.started
		}
	}
	return n
}

// Find returns a user's shell.
func (h *Host) Find(user, id string) (*Shell, *soap.Fault) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s, ok := h.shells[id]
	if !ok {
		return nil, soap.NewFault(soap.UnknownShell)
	}
	if !strings.EqualFold(s.Owner, user) {
		return nil, soap.NewFault(soap.AccessDenied)
	}
	return s, nil
}

// Delete closes a shell and ends what runs in it. A shell that is gone already stays so.
func (h *Host) Delete(s *Shell) {
	h.mu.Lock()
	delete(h.shells, s.ID)
	h.mu.Unlock()
	s.close()
}

// Close closes all shells, as a reboot does, opens no more and waits until nothing
// runs.
func (h *Host) Close() {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	for _, s := range h.all() {
		h.Delete(s)
	}
	h.running.Wait()
}

// Expire closes all shells that no request works on, as if their idle time was over.
func (h *Host) Expire() {
	for _, s := range h.all() {
		if s.idle() {
			h.Delete(s)
		}
	}
}

func (h *Host) all() []*Shell {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Collect(maps.Values(h.shells))
}

// Open is how many shells are open.
func (h *Host) Open() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.shells)
}

// count notes a command that is about to start, unless the user has had too many.
func (h *Host) count(s *Shell, line string) *soap.Fault {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.operations(s.Owner) >= h.quotas.Operations {
		return soap.NewFault(soap.TooManyOperations, h.quotas.Operations)
	}
	s.started++
	h.hooks.Started(line)
	return nil
}

// run runs a command in the background. Close waits for it.
func (h *Host) run(ctx context.Context, c *command, p process.Command) {
	h.running.Go(func() {
		code, err := h.runner.Run(ctx, p)
		if err != nil && ctx.Err() == nil {
			h.hooks.Failed(err)
			_, _ = io.WriteString(p.Stderr, err.Error()+"\r\n")
			code = ^uint32(0)
		}
		c.finish(code)
	})
}

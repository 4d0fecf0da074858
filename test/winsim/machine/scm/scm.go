// Package scm is the service control manager of the simulated machine.
//
// Services are keys of the registry, as on Windows; which of them run is known only
// here and ends with the machine. What a service's program does is the launcher's.
package scm

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
)

// State is a service's state, numbered as in SERVICE_STATUS.
type State uint32

// The states.
const (
	Stopped      State = 1
	StartPending State = 2
	StopPending  State = 3
	Running      State = 4
)

// answerTime is how long a service has to report that it runs, or to stop: the
// default of ServicesPipeTimeout.
const answerTime = 30 * time.Second

// Status is what a service does.
type Status struct {
	State State
	PID   int
	Exit  winerr.Code // why it stopped last; 1077 when it never ran since the boot
}

// neverStarted is ERROR_SERVICE_NEVER_STARTED.
const neverStarted winerr.Code = 1077

// Control is what a service's program has of the manager.
type Control struct {
	ready func()
}

// Running reports that the service runs. A program that does not within 30 seconds is
// no service, and is ended.
func (c *Control) Running() { c.ready() }

// Launcher starts the program of a service. ctx ends when the service is to stop. The
// channel gives the exit code when the process has ended.
type Launcher func(ctx context.Context, c Config, args []string, control *Control) (pid int, exit <-chan uint32, err error)

// Manager is the service control manager. Its methods are safe for concurrent use.
type Manager struct {
	reg    *registry.Registry
	launch Launcher

	mu       sync.Mutex
	ctx      context.Context // of this boot; nil when the machine is down
	halt     context.CancelFunc
	services map[string]*instance // by lower-case name
	workers  sync.WaitGroup
}

// instance is a service since the boot.
type instance struct {
	status   Status
	stop     context.CancelFunc
	ready    chan struct{} // closed when it reports that it runs
	done     chan struct{} // closed when it has ended
	stopping bool
	failures int
	failed   time.Time // the last time
}

// New returns a manager of the services in a registry.
func New(reg *registry.Registry, launch Launcher) *Manager {
	return &Manager{reg: reg, launch: launch, services: map[string]*instance{}}
}

// Status returns a service's state.
func (m *Manager) Status(name string) (Status, error) {
	c, err := m.Config(name)
	if err != nil {
		return Status{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.services[strings.ToLower(c.Name)]; s != nil {
		return s.status, nil
	}
	return Status{State: Stopped, Exit: neverStarted}, nil
}

// running reports whether a service has a process; the lock is held.
func (m *Manager) running(name string) bool {
	s := m.services[strings.ToLower(name)]
	return s != nil && s.status.State != Stopped
}

// Dependents lists the services that depend on one, directly or not, those that must
// stop first at the front.
func (m *Manager) Dependents(name string) []string {
	var all []string
	for _, other := range m.Names() {
		c, err := m.Config(other)
		depends := slices.ContainsFunc(c.DependsOn, func(on string) bool { return strings.EqualFold(on, name) })
		if err != nil || !depends {
			continue
		}
		all = append(all, m.Dependents(other)...)
		all = append(all, other)
	}
	return slices.Compact(all)
}

// Start starts a service and what it depends on, and waits until it runs.
func (m *Manager) Start(ctx context.Context, name string, args ...string) error {
	return m.start(ctx, name, args, nil)
}

func (m *Manager) start(ctx context.Context, name string, args, above []string) error {
	c, err := m.Config(name)
	if err != nil {
		return err
	}
	switch {
	case c.Deleted:
		return winerr.Of(winerr.MarkedForDelete, "start service", name)
	case c.Start == Disabled:
		return winerr.Of(winerr.ServiceDisabled, "start service", name)
	case slices.Contains(above, c.Name):
		return winerr.Of(winerr.CircularDependency, "start service", name)
	}
	for _, on := range c.DependsOn {
		if err := m.startBefore(ctx, name, on, append(above, c.Name)); err != nil {
			return err
		}
	}
	s, err := m.begin(c, args)
	if err != nil {
		return err
	}
	return m.await(ctx, c.Name, s)
}

// startBefore starts what a service depends on.
func (m *Manager) startBefore(ctx context.Context, name, on string, above []string) error {
	status, err := m.Status(on)
	if err != nil {
		return winerr.Of(winerr.DependencyMissing, "start service", name)
	}
	if status.State == Running {
		return nil
	}
	err = m.start(ctx, on, nil, above)
	if err != nil && !errors.Is(err, winerr.ServiceRunning) {
		return errors.Join(winerr.Of(winerr.DependencyFail, "start service", name), err)
	}
	return nil
}

// begin launches the program.
func (m *Manager) begin(c Config, args []string) (*instance, error) {
	key := strings.ToLower(c.Name)
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.ctx == nil:
		return nil, winerr.Of(winerr.ShutdownInProgress, "start service", c.Name)
	case m.running(c.Name):
		return nil, winerr.Of(winerr.ServiceRunning, "start service", c.Name)
	}
	ctx, stop := context.WithCancel(m.ctx)
	s := &instance{stop: stop, ready: make(chan struct{}), done: make(chan struct{})}
	if old := m.services[key]; old != nil {
		s.failures, s.failed = old.failures, old.failed
	}
	control := &Control{ready: sync.OnceFunc(func() { m.report(s) })}
	pid, exit, err := m.launch(ctx, c, args, control)
	if err != nil {
		stop()
		return nil, err
	}
	s.status = Status{State: StartPending, PID: pid}
	m.services[key] = s
	m.workers.Go(func() { m.watch(c.Name, s, exit) })
	return s, nil
}

// report notes that a service runs.
func (m *Manager) report(s *instance) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s.status.State == StartPending {
		s.status.State = Running
		close(s.ready)
	}
}

// await waits until a service runs.
func (m *Manager) await(ctx context.Context, name string, s *instance) error {
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	select {
	case <-s.ready:
		return nil
	case <-s.done:
		return winerr.Of(winerr.ServiceTimeout, "start service", name)
	case <-timer.C:
		s.stop()
		return winerr.Of(winerr.ServiceTimeout, "start service", name)
	case <-ctx.Done():
		return ctx.Err()
	}
}

// watch waits for the end of a service's process.
func (m *Manager) watch(name string, s *instance, exit <-chan uint32) {
	code := <-exit
	m.mu.Lock()
	crashed := !s.stopping && s.status.State == Running && code != 0
	s.status = Status{State: Stopped, Exit: winerr.Code(code)}
	if crashed {
		s.status.Exit = winerr.ProcessAborted
	}
	ctx := m.ctx
	m.mu.Unlock()
	s.stop()
	close(s.done)
	if c, err := m.Config(name); err == nil && c.Deleted {
		// It cannot be told to anybody; the key stays when this fails.
		_ = m.reg.Delete(keyOf(name), true)
		return
	}
	if crashed && ctx != nil {
		m.recover(ctx, name, s)
	}
}

// Stop stops a service and waits. One that running services depend on is refused,
// unless those are to be stopped too.
func (m *Manager) Stop(ctx context.Context, name string, dependents bool) error {
	c, err := m.Config(name)
	if err != nil {
		return err
	}
	for _, other := range m.Dependents(c.Name) {
		status, err := m.Status(other)
		if err != nil || status.State == Stopped {
			continue
		}
		if !dependents {
			return winerr.Of(winerr.DependentsRunning, "stop service", name)
		}
		if err := m.end(ctx, other); err != nil {
			return err
		}
	}
	return m.end(ctx, c.Name)
}

// end stops one service.
func (m *Manager) end(ctx context.Context, name string) error {
	m.mu.Lock()
	s := m.services[strings.ToLower(name)]
	if s == nil || s.status.State == Stopped {
		m.mu.Unlock()
		return winerr.Of(winerr.ServiceNotActive, "stop service", name)
	}
	if s.status.State == StartPending {
		m.mu.Unlock()
		return winerr.Of(winerr.ServiceCannotAccept, "stop service", name)
	}
	s.stopping, s.status.State = true, StopPending
	m.mu.Unlock()
	s.stop()
	timer := time.NewTimer(answerTime)
	defer timer.Stop()
	select {
	case <-s.done:
		return nil
	case <-timer.C:
		return winerr.Of(winerr.ServiceTimeout, "stop service", name)
	case <-ctx.Done():
		return ctx.Err()
	}
}

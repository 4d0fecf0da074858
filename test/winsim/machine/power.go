package machine

import (
	"context"
	"errors"
	"time"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// powerRequest is the wish to go down.
type powerRequest struct {
	restart bool
	done    chan struct{} // closed when the machine is up again, or off
}

// boot is the time between two boots: what runs in it ends with it.
type boot struct {
	ctx  context.Context
	stop context.CancelFunc
}

// ErrOff is the failure to use a machine that is off or between two boots.
var ErrOff = errors.New("the machine is off")

// PowerOn boots the machine and returns when its automatic services have been started.
// It runs until ctx ends or it is shut down; Close waits for that.
func (m *Machine) PowerOn(ctx context.Context) error {
	if err := m.up(ctx); err != nil {
		return err
	}
	m.powering.Go(func() { m.obey(ctx) })
	return nil
}

// Close waits until the machine is off. The context of PowerOn must have ended, or the
// machine been shut down.
func (m *Machine) Close() { m.powering.Wait() }

// obey carries out requests to go down.
func (m *Machine) obey(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			m.down()
			return
		case r := <-m.power:
			m.down()
			m.begun()
			again := r.restart && pause(ctx, m.options.BootTime)
			if again {
				if err := m.up(ctx); err != nil {
					m.Unknown("a boot that fails: %v", err)
					again = false
				}
			}
			close(r.done)
			if !again {
				return
			}
		}
	}
}

// pause waits and tells whether ctx is still good.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return ctx.Err() == nil
	}
}

// up boots: what waited for it takes effect, and the services start.
func (m *Machine) up(ctx context.Context) error {
	if err := m.settle(); err != nil {
		return err
	}
	bootCtx, stop := context.WithCancel(ctx)
	env := m.Environment(account.SystemSID)
	m.mu.Lock()
	m.boot, m.services = &boot{ctx: bootCtx, stop: stop}, env
	m.state.LastBoot, m.bootSkew = time.Now().Add(m.state.Skew), m.state.Skew
	m.state.Boots++
	err := m.store.Save(&m.state)
	m.mu.Unlock()
	if err != nil {
		return err
	}
	m.Log("boot %d of %s", m.Boots(), m.ComputerName())
	m.Services.Up(bootCtx, func(service string, err error) { m.Log("service %s did not start: %v", service, err) })
	m.startTasks()
	if m.observer != nil {
		m.observer.PowerOn()
	}
	return nil
}

// down ends everything that runs.
func (m *Machine) down() {
	m.Log("the machine goes down")
	if m.observer != nil {
		m.observer.PowerOff()
	}
	m.mu.Lock()
	b := m.boot
	m.boot = nil
	if m.pending != nil {
		m.pending()
		m.pending = nil
	}
	m.mu.Unlock()
	if b != nil {
		b.stop()
	}
	m.Services.Down()
	m.workers.Wait()
}

// running returns the context of this boot.
func (m *Machine) running() (context.Context, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.boot == nil {
		return nil, ErrOff
	}
	return m.boot.ctx, nil
}

// On reports whether the machine is up.
func (m *Machine) On() bool {
	_, err := m.running()
	return err == nil
}

// Shutdown announces that the machine goes down after a delay, and comes up again when
// restart says so. Only one shutdown can be announced.
func (m *Machine) Shutdown(delay time.Duration, restart bool) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.boot == nil {
		return winerr.Of(winerr.ShutdownInProgress, "shut down", m.options.Name)
	}
	if m.pending != nil {
		return winerr.Of(winerr.ShutdownIsScheduled, "shut down", m.options.Name)
	}
	waiting, cancel := context.WithCancel(m.boot.ctx)
	m.pending = cancel
	m.workers.Go(func() {
		if pause(waiting, delay) {
			m.request(restart)
		}
		cancel()
	})
	return nil
}

// request asks the power loop. A second request before the machine is down is the same
// one.
func (m *Machine) request(restart bool) <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.asked == nil {
		m.asked = &powerRequest{restart: restart, done: make(chan struct{})}
		m.power <- m.asked // there is room for the only one
	}
	return m.asked.done
}

// begun says that the machine is down: a request from now on is another one.
func (m *Machine) begun() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = nil
}

// AbortShutdown takes back what Shutdown announced.
func (m *Machine) AbortShutdown() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.pending == nil {
		return winerr.Of(winerr.NoShutdownScheduled, "abort the shutdown of", m.options.Name)
	}
	m.pending()
	m.pending = nil
	return nil
}

// Reboot reboots the machine at once, as a reset does, and waits until it is up again.
func (m *Machine) Reboot(ctx context.Context) error {
	done := m.request(true)
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// settle makes what waited for a reboot take effect.
func (m *Machine) settle() error {
	installed, removed, err := m.Features.Reboot()
	if err != nil {
		return err
	}
	if err := errors.Join(m.Registry.Reboot(), m.Network.Reboot()); err != nil {
		return err
	}
	for _, f := range installed {
		if err := m.AddFeature(f); err != nil {
			return err
		}
	}
	for _, f := range removed {
		if err := m.DropFeature(f); err != nil {
			return err
		}
	}
	if err := m.renamePending(); err != nil {
		return err
	}
	return errors.Join(
		m.Registry.Set(activeName, registry.Text("ComputerName", m.NextComputerName())),
		m.Registry.Set(tcpipParameters, registry.Text("Hostname", m.NextHostName())))
}

// AddFeature makes the services of a feature that is installed now.
func (m *Machine) AddFeature(f feature.Feature) error {
	for _, s := range f.Services {
		err := m.Services.Create(scm.Config{Name: s.Name, DisplayName: s.Display, Image: svchost(s.Name), Start: featureStart(s.Name)})
		if err != nil && !errors.Is(err, winerr.ServiceExists) {
			return err
		}
	}
	return nil
}

// featureStart is how a feature's service starts: the Host Network Service only when
// it is asked for.
func featureStart(name string) scm.StartType {
	if name == "CExecSvc" {
		return scm.Manual
	}
	return scm.Auto
}

// DropFeature removes the services of a feature, but for those another one has too.
func (m *Machine) DropFeature(f feature.Feature) error {
	kept := map[string]bool{}
	for _, other := range feature.Catalogue() {
		if m.Features.State(other.Name) == feature.Installed {
			for _, s := range other.Services {
				kept[s.Name] = true
			}
		}
	}
	for _, s := range f.Services {
		if kept[s.Name] {
			continue
		}
		if err := m.Services.Delete(s.Name); err != nil && !errors.Is(err, winerr.ServiceMissing) {
			return err
		}
	}
	return nil
}

// renamePending carries out PendingFileRenameOperations: pairs of a path and its new
// name, or nothing to delete it.
func (m *Machine) renamePending() error {
	v, ok := m.Registry.Get(sessionManager, "PendingFileRenameOperations")
	if !ok {
		return nil
	}
	for i := 0; i+1 < len(v.List); i += 2 {
		from, to := ntPath(v.List[i]), ntPath(v.List[i+1])
		var err error
		if to == "" {
			err = m.Files.RemoveAll(from, true)
		} else {
			err = m.Files.Rename(from, to, true)
		}
		if err != nil {
			m.Log("pending rename of %s: %v", from, err)
		}
	}
	return m.Registry.DeleteValue(sessionManager, "PendingFileRenameOperations")
}

// ntPath is a path as Win32 writes it, of one as the kernel does: \??\C:\file, with an
// exclamation mark before it where it replaces.
func ntPath(text string) string {
	for _, prefix := range []string{"!", `\??\`} {
		if len(text) >= len(prefix) && text[:len(prefix)] == prefix {
			text = text[len(prefix):]
		}
	}
	return text
}

// Cut reports whether the network is cut at this moment.
func (m *Machine) Cut() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cuts > 0
}

// dropConnections cuts all connections for the time that the network needs to come
// back, or until the machine goes down.
func (m *Machine) dropConnections() {
	m.Log("the network is rebound: connections are cut for %v", m.options.DropTime)
	m.countCut(1)
	if m.observer != nil {
		m.observer.NetworkDown()
	}
	waits := m.spawn(func(ctx context.Context) {
		pause(ctx, m.options.DropTime)
		m.restoreNetwork()
	})
	if !waits {
		m.restoreNetwork()
	}
}

// restoreNetwork ends a cut.
func (m *Machine) restoreNetwork() {
	m.countCut(-1)
	if m.observer != nil {
		m.observer.NetworkUp()
	}
}

func (m *Machine) countCut(by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.cuts += by
}

// spawn runs a function until this boot ends, and tells whether there is one.
func (m *Machine) spawn(work func(ctx context.Context)) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	b := m.boot
	if b == nil {
		return false
	}
	m.workers.Go(func() { work(b.ctx) })
	return true
}

// rebootPending is the key that is there while parts of the system wait for a reboot.
const rebootPending = windowsVersion + `\Component Based Servicing\RebootPending`

// Apply makes a change of features take effect as far as it does without a reboot, and
// notes that one is needed where it is.
func (m *Machine) Apply(change feature.Change) error {
	for _, name := range change.Features {
		f, err := feature.Find(name)
		if err != nil {
			return err
		}
		switch m.Features.State(name) {
		case feature.Installed:
			err = m.AddFeature(f)
		case feature.Available:
			err = m.DropFeature(f)
		}
		if err != nil {
			return err
		}
	}
	if !change.Restart {
		return nil
	}
	return m.Registry.MakeVolatile(rebootPending)
}

package scm_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/store"
	"kinit/test/winsim/machine/winerr"
)

// programs is a launcher whose processes are functions by the image's name.
type programs struct {
	mu      sync.Mutex
	started []string
	run     map[string]func(ctx context.Context, control *scm.Control) uint32
}

func (p *programs) launch(ctx context.Context, c scm.Config, _ []string, control *scm.Control) (int, <-chan uint32, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	run := p.run[c.Image]
	if run == nil {
		return 0, nil, winerr.Of(winerr.FileNotFound, "start", c.Image)
	}
	p.started = append(p.started, c.Name)
	exit := make(chan uint32, 1)
	go func() { exit <- run(ctx, control) }()
	return 42, exit, nil
}

func (p *programs) order() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.started)
}

// serve is a service that runs until it is stopped.
func serve(ctx context.Context, control *scm.Control) uint32 {
	control.Running()
	<-ctx.Done()
	return 0
}

func manager(t *testing.T) (*scm.Manager, *programs) {
	t.Helper()
	reg, err := registry.Open(store.In(t.TempDir(), "registry"))
	if err != nil {
		t.Fatal(err)
	}
	p := &programs{run: map[string]func(context.Context, *scm.Control) uint32{"serve.exe": serve}}
	m := scm.New(reg, p.launch)
	m.Up(t.Context(), func(string, error) {})
	t.Cleanup(m.Down)
	return m, p
}

func create(t *testing.T, m *scm.Manager, all ...scm.Config) {
	t.Helper()
	for _, c := range all {
		if err := m.Create(c); err != nil {
			t.Fatal(err)
		}
	}
}

func state(t *testing.T, m *scm.Manager, name string) scm.State {
	t.Helper()
	status, err := m.Status(name)
	if err != nil {
		t.Fatal(err)
	}
	return status.State
}

func TestAServiceStartsWhatItDependsOnFirst(t *testing.T) {
	t.Parallel()
	m, p := manager(t)
	create(t, m, scm.Config{Name: "containerd", Image: "serve.exe", Start: scm.Manual},
		scm.Config{Name: "kubelet", Image: "serve.exe", Start: scm.Manual, DependsOn: []string{"ContainerD"}})
	if err := m.Start(t.Context(), "KUBELET"); err != nil {
		t.Fatal(err)
	}
	if got, want := p.order(), []string{"containerd", "kubelet"}; !slices.Equal(got, want) {
		t.Errorf("started %q, want %q", got, want)
	}
	if err := m.Start(t.Context(), "kubelet"); !errors.Is(err, winerr.ServiceRunning) {
		t.Errorf("started twice: %v", err)
	}
	if err := m.Stop(t.Context(), "containerd", false); !errors.Is(err, winerr.DependentsRunning) {
		t.Errorf("stop what another needs: %v", err)
	}
	if err := m.Stop(t.Context(), "containerd", true); err != nil {
		t.Fatal(err)
	}
	if got := state(t, m, "kubelet"); got != scm.Stopped {
		t.Errorf("kubelet is %d, want stopped", got)
	}
}

func TestWhatKeepsAServiceFromStartingHasACode(t *testing.T) {
	t.Parallel()
	m, p := manager(t)
	p.run["noservice.exe"] = func(context.Context, *scm.Control) uint32 { return 0 }
	create(t, m, scm.Config{Name: "off", Image: "serve.exe", Start: scm.Disabled},
		scm.Config{Name: "nofile", Image: "missing.exe", Start: scm.Manual},
		scm.Config{Name: "noservice", Image: "noservice.exe", Start: scm.Manual},
		scm.Config{Name: "needsnothing", Image: "serve.exe", Start: scm.Manual, DependsOn: []string{"missing"}},
		scm.Config{Name: "needsnofile", Image: "serve.exe", Start: scm.Manual, DependsOn: []string{"nofile"}},
		scm.Config{Name: "circle", Image: "serve.exe", Start: scm.Manual, DependsOn: []string{"circle"}})
	for name, want := range map[string]winerr.Code{
		"off": winerr.ServiceDisabled, "nofile": winerr.FileNotFound, "noservice": winerr.ServiceTimeout,
		"needsnothing": winerr.DependencyMissing, "needsnofile": winerr.DependencyFail, "circle": winerr.CircularDependency,
		"missing": winerr.ServiceMissing,
	} {
		if err := m.Start(t.Context(), name); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
	}
}

func TestAServiceThatFailsIsStartedAgain(t *testing.T) {
	t.Parallel()
	m, p := manager(t)
	again := make(chan struct{})
	var once sync.Once
	first := true
	p.run["fragile.exe"] = func(ctx context.Context, control *scm.Control) uint32 {
		control.Running()
		if first {
			first = false
			return 1
		}
		once.Do(func() { close(again) })
		<-ctx.Done()
		return 0
	}
	failure := scm.Failure{Reset: time.Hour, Actions: []scm.Action{{Type: scm.Restart, Delay: time.Millisecond}}}
	create(t, m, scm.Config{Name: "fragile", Image: "fragile.exe", Start: scm.Manual, Failure: failure})
	c, err := m.Config("fragile")
	if err != nil || c.Failure.Reset != time.Hour || !slices.Equal(c.Failure.Actions, failure.Actions) {
		t.Fatalf("configuration %+v, %v", c, err)
	}
	if err := m.Start(t.Context(), "fragile"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-again:
	case <-time.After(time.Minute):
		t.Fatal("it was not started again")
	}
}

func TestARunningServiceIsDeletedWhenItStops(t *testing.T) {
	t.Parallel()
	m, _ := manager(t)
	create(t, m, scm.Config{Name: "gone", Image: "serve.exe", Start: scm.Manual})
	if err := m.Start(t.Context(), "gone"); err != nil {
		t.Fatal(err)
	}
	if err := m.Delete("gone"); err != nil {
		t.Fatal(err)
	}
	if err := m.Create(scm.Config{Name: "gone", Image: "serve.exe"}); !errors.Is(err, winerr.MarkedForDelete) {
		t.Errorf("create it meanwhile: %v", err)
	}
	if err := m.Stop(t.Context(), "gone", false); err != nil {
		t.Fatal(err)
	}
	deadline := time.Now().Add(time.Minute)
	for slices.Contains(m.Names(), "gone") {
		if time.Now().After(deadline) {
			t.Fatal("it is still there")
		}
		time.Sleep(time.Millisecond)
	}
}

func TestAutomaticServicesStartWithTheMachine(t *testing.T) {
	t.Parallel()
	m, p := manager(t)
	create(t, m, scm.Config{Name: "auto", Image: "serve.exe", Start: scm.Auto, Environment: []string{"NODE_NAME=n1"}},
		scm.Config{Name: "broken", Image: "missing.exe", Start: scm.Auto},
		scm.Config{Name: "manual", Image: "serve.exe", Start: scm.Manual})
	m.Down()
	var failed []string
	m.Up(t.Context(), func(name string, err error) { failed = append(failed, name+": "+err.Error()) })
	if got := strings.Join(p.order(), " "); got != "auto" {
		t.Errorf("started %q, want auto", got)
	}
	if want := []string{"broken: start missing.exe: The system cannot find the file specified. (2)"}; !slices.Equal(failed, want) {
		t.Errorf("failed %q, want %q", failed, want)
	}
	if status, err := m.Status("manual"); err != nil || status != (scm.Status{State: scm.Stopped, Exit: 1077}) {
		t.Errorf("manual %+v %v", status, err)
	}
}

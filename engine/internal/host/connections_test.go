package host

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/local"
	"kinit/engine/transport/transporttest/sshd"
)

// counted is a pool of local machines that counts connections.
func counted(t *testing.T, settings map[string]Settings) (*Connections, *atomic.Int32) {
	t.Helper()
	var made atomic.Int32
	lookup := func(_ context.Context, name string) (Settings, error) {
		s, ok := settings[name]
		if !ok {
			return s, errors.New("there is no host " + name)
		}
		return s, nil
	}
	connect := func(context.Context, Settings, transport.Conn) (transport.Conn, error) {
		made.Add(1)
		return local.New(), nil
	}
	connections := NewConnectionsWith(lookup, &secret.Redactor{}, connect)
	t.Cleanup(func() { _ = connections.Close() })
	return connections, &made
}

func TestPoolConnectsOnce(t *testing.T) {
	connections, made := counted(t, map[string]Settings{"a": {}, "b": {}})
	var all sync.WaitGroup
	machines := make([]*Machine, 20)
	for i := range machines {
		all.Go(func() {
			var err error
			if machines[i], err = connections.Get(t.Context(), "a"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	for _, m := range machines {
		if m != machines[0] {
			t.Error("two machines of one name")
		}
	}
	if _, err := connections.Get(t.Context(), "b"); err != nil {
		t.Error(err)
	}
	if n := made.Load(); n != 2 {
		t.Errorf("%d connections, want 2", n)
	}
	if machines[0].Name() != "a" || machines[0].Bind("", nil).Name() != "a" {
		t.Error("the name is not that of the lookup")
	}
}

func TestPoolForgetsErrors(t *testing.T) {
	broken := errors.New("no route")
	fails := 1
	connect := func(context.Context, Settings, transport.Conn) (transport.Conn, error) {
		if fails--; fails >= 0 {
			return nil, broken
		}
		return local.New(), nil
	}
	connections := NewConnectionsWith(func(context.Context, string) (Settings, error) { return Settings{}, nil }, &secret.Redactor{}, connect)
	defer connections.Close()
	if _, err := connections.Get(t.Context(), "a"); !errors.Is(err, broken) {
		t.Errorf("error is %v", err)
	}
	if _, err := connections.Get(t.Context(), "a"); err != nil {
		t.Error(err)
	}
}

// A caller that gives up must not take the connection from one that waits.
func TestPoolWaitersGoOnWhenTheFirstGivesUp(t *testing.T) {
	dialling := make(chan struct{}, 1)
	connect := func(ctx context.Context, _ Settings, _ transport.Conn) (transport.Conn, error) {
		select {
		case dialling <- struct{}{}:
			<-ctx.Done()
			return nil, ctx.Err()
		default:
			return local.New(), nil
		}
	}
	connections := NewConnectionsWith(func(context.Context, string) (Settings, error) { return Settings{}, nil }, &secret.Redactor{}, connect)
	defer connections.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := connections.Get(ctx, "a"); !errors.Is(err, context.Canceled) {
			t.Errorf("error is %v", err)
		}
	})
	for len(dialling) == 0 {
		if t.Context().Err() != nil {
			t.Fatal("nothing dials")
		}
	}
	all.Go(func() {
		if _, err := connections.Get(t.Context(), "a"); err != nil {
			t.Error(err)
		}
	})
	cancel()
	all.Wait()
}

func TestPoolNamesHostsThatLeadToEachOther(t *testing.T) {
	connections, _ := counted(t, map[string]Settings{"a": {Via: "b"}, "b": {Via: "c"}, "c": {Via: "a"}, "d": {Via: "e"}})
	if _, err := connections.Get(t.Context(), "a"); err == nil || !strings.Contains(err.Error(), "a through b through c through a") {
		t.Errorf("error is %v", err)
	}
	if _, err := connections.Get(t.Context(), "d"); err == nil || err.Error() != "reach d through e: there is no host e" {
		t.Errorf("error is %v", err)
	}
}

func TestPoolClose(t *testing.T) {
	connections, _ := counted(t, map[string]Settings{"a": {}})
	m, err := connections.Get(t.Context(), "a")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := connections.Close(); err != nil {
			t.Error(err)
		}
	}
	if _, err := connections.Get(t.Context(), "a"); err == nil {
		t.Error("a closed pool gives machines")
	}
	if _, err := m.Conn().Exec(t.Context(), transport.Process{Line: "true"}); err == nil {
		t.Error("the connection is still open")
	}
}

// A guest is reached through its hypervisor, both over real SSH.
func TestPoolReachesThroughAnotherHost(t *testing.T) {
	gate, inner := sshd.Start(t), sshd.Start(t)
	lookup := func(_ context.Context, name string) (Settings, error) {
		server, via := gate, ""
		if name == "guest" {
			server, via = inner, "gate"
		}
		return Settings{
			Name: name, Address: server.Host, Port: server.Port, User: server.User, Via: via, NoAgent: true,
			IdentityFiles: []string{server.ClientKey}, HostKeys: []string{server.HostKey}, Manifests: t.TempDir(),
		}, nil
	}
	connections := NewConnections(lookup, &secret.Redactor{})
	defer connections.Close()
	guest, err := connections.Get(t.Context(), "guest")
	if err != nil {
		t.Fatal(err)
	}
	h := guest.Bind("k8s", nil)
	out, err := h.Run(t.Context(), module.Command{Argv: []string{"echo", "hello"}})
	if err != nil || out.Stdout != "hello\n" {
		t.Errorf("output %q, error %v", out.Stdout, err)
	}
	mark := module.Mark{Kind: "file", ID: "/etc/x"}
	own(t, h, mark)
	gate.Cut() // and with it the connection to the guest
	wantMarks(t, h, mark)
	out, err = h.Run(t.Context(), module.Command{Argv: []string{"echo", "hello"}})
	if err != nil || out.Stdout != "hello\n" {
		t.Errorf("output %q, error %v", out.Stdout, err)
	}
}

func TestPoolThatKeepsFailuresTriesOnceAlsoForHostsBehindTheOneThatIsSilent(t *testing.T) {
	tries := 0
	connect := func(context.Context, Settings, transport.Conn) (transport.Conn, error) {
		tries++
		return nil, transport.ErrUnreachable
	}
	settings := map[string]Settings{"a": {}, "behind": {Via: "a"}}
	connections := NewConnectionsWith(func(_ context.Context, name string) (Settings, error) { return settings[name], nil }, &secret.Redactor{}, connect)
	defer connections.Close()
	connections.Once(0)
	for _, name := range []string{"a", "a", "behind", "behind"} {
		if _, err := connections.Get(t.Context(), name); !errors.Is(err, transport.ErrUnreachable) {
			t.Errorf("%s: error is %v", name, err)
		}
	}
	if tries != 1 {
		t.Errorf("%d attempts to connect, want 1", tries)
	}
}

func TestPoolNamesTheLimitThatASilentHostHasPassed(t *testing.T) {
	connect := func(ctx context.Context, _ Settings, _ transport.Conn) (transport.Conn, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	connections := NewConnectionsWith(func(context.Context, string) (Settings, error) { return Settings{}, nil }, &secret.Redactor{}, connect)
	defer connections.Close()
	connections.Once(time.Millisecond)
	_, err := connections.Get(t.Context(), "a")
	if want := "unreachable: no answer within 1ms"; err == nil || err.Error() != want || !errors.Is(err, transport.ErrUnreachable) {
		t.Errorf("error is %v, want %s", err, want)
	}
}

package etcd_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kinit/engine/internal/etcd"
	"kinit/engine/internal/etcd/etcdtest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/transporttest/netfault"
)

// least is the shortest life of a lease that etcd grants.
const least = 2 * time.Second

func lockOf(t *testing.T, c etcd.Config, token string, lifetime time.Duration) *etcd.Lock {
	t.Helper()
	l := etcd.New(c, "c1", token, lifetime)
	t.Cleanup(func() { _ = l.Release(context.Background()) }) // it may have been released
	return l
}

// ask is one operation that must not fail.
func ask(t *testing.T, name string, do func(context.Context) (etcd.State, error)) etcd.State {
	t.Helper()
	s, err := do(t.Context())
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

func take(l *etcd.Lock) func(context.Context) (etcd.State, error) {
	return func(ctx context.Context) (etcd.State, error) { return l.Take(ctx, "") }
}

func TestALockLivesAsLongAsItIsRenewed(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	first, second := lockOf(t, server.Config, "FIRST", least), lockOf(t, server.Config, "SECOND", least)
	if s := ask(t, "take", take(first)); s != (etcd.State{Mine: true}) {
		t.Fatalf("a free lock: %+v", s)
	}
	renewed := time.Now()
	for begin := renewed; time.Since(begin) < least+time.Second; time.Sleep(least / 10) {
		asked := time.Now()
		if s := ask(t, "renew", first.Renew); !s.Mine && asked.Sub(renewed) < least {
			t.Fatalf("it was lost %s after a renewal: %+v", asked.Sub(renewed), s)
		}
		renewed = asked
		if s := ask(t, "take", take(second)); s.Mine || s.Holder != "FIRST" {
			t.Fatalf("the lock of a run that lives: %+v", s)
		}
	}
	var s etcd.State
	for !s.Mine {
		s = ask(t, "take", take(second))
		if s.Mine && time.Since(renewed) < least {
			t.Errorf("it was taken over %s after a renewal", time.Since(renewed))
		}
		if time.Since(renewed) > 10*least {
			t.Fatalf("it is not taken over: %+v", s)
		}
		time.Sleep(least / 20)
	}
	if s.Was != "FIRST" {
		t.Errorf("taken over from %q", s.Was)
	}
	if s := ask(t, "renew", first.Renew); s.Mine || s.Holder != "SECOND" {
		t.Errorf("a lock that was taken over: %+v", s)
	}
}

func TestALockThatIsGivenBackLeavesNoKeyAndNoLease(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	first, second := lockOf(t, server.Config, "FIRST", time.Hour), lockOf(t, server.Config, "SECOND", time.Hour)
	ask(t, "take", take(first))
	ask(t, "take the lock of a dead run", func(ctx context.Context) (etcd.State, error) { return second.Take(ctx, "FIRST") })
	for _, l := range []*etcd.Lock{first, second, second} {
		if err := l.Release(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	keys, err := server.Admin.Get(t.Context(), "/", clientv3.WithPrefix())
	if err != nil || keys.Count != 0 {
		t.Errorf("keys %v, error %v", keys, err)
	}
	leases, err := server.Admin.Leases(t.Context())
	if err != nil || len(leases.Leases) != 0 {
		t.Errorf("leases %v, error %v", leases, err)
	}
}

func TestAnEtcdThatDoesNotAnswerIsAnErrorWithItsAddress(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	closed, silent := need.Address(t), netfault.New(t, server.Address)
	silent.Vanish()
	for name, c := range map[string]struct{ address, reason string }{
		"no listener": {closed, "dial tcp " + closed + ": connect: connection refused"},
		"silence":     {silent.Address, "there was no answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := server.Config
			config.Endpoints = []string{"http://" + c.address}
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			begin := time.Now()
			_, err := lockOf(t, config, "FIRST", least).Take(ctx, "")
			want := "unreachable: http://" + c.address + ": " + c.reason
			if !errors.Is(err, transport.ErrUnreachable) || err.Error() != want || time.Since(begin) > 10*time.Second {
				t.Errorf("after %s: %v, want %s", time.Since(begin), err, want)
			}
		})
	}
}

func TestOneMemberThatAnswersIsEnough(t *testing.T) {
	t.Parallel()
	server := etcdtest.Start(t)
	c := server.Config
	c.Endpoints = []string{"http://" + need.Address(t), c.Endpoints[0]}
	l := lockOf(t, c, "FIRST", time.Hour)
	if s := ask(t, "take", take(l)); !s.Mine {
		t.Errorf("got %+v", s)
	}
	if s := ask(t, "renew", l.Renew); !s.Mine {
		t.Errorf("renewed: %+v", s)
	}
}

func TestWhatKeepsAnEtcdClosedIsNamedAndNoSecretIsShown(t *testing.T) {
	t.Parallel()
	server := etcdtest.StartClosed(t)
	at := server.Config.Endpoints[0]
	for name, c := range map[string]struct {
		change func(*etcd.Config)
		is     error
		want   string // how the text ends
	}{
		"the right user": {func(*etcd.Config) {}, nil, ""},
		"another password": {func(c *etcd.Config) { c.Password = "not-the-password" }, transport.ErrAuth,
			"authentication failed: " + at + `: it does not know the user "team", or has another password of that user`},
		"no user": {func(c *etcd.Config) { c.User, c.Password = "", "" }, transport.ErrAuth,
			"authentication failed: " + at + `: who comes without user and password may not read and write keys that begin with "/test/locks"`},
		"foreign keys": {func(c *etcd.Config) { c.Prefix = "/others" }, transport.ErrAuth,
			"authentication failed: " + at + `: the user "team" may not read and write keys that begin with "/others"`},
		"an unknown authority": {func(c *etcd.Config) { c.CA = "" }, transport.ErrUnreachable,
			"tls: failed to verify certificate: x509: certificate signed by unknown authority"},
		"no certificate": {func(c *etcd.Config) { c.Certificate, c.Key = "", "" }, transport.ErrUnreachable, ""},
	} {
		t.Run(name, func(t *testing.T) {
			config := server.Config
			c.change(&config)
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			l := lockOf(t, config, "FIRST", time.Hour)
			if name != "the right user" {
				l = etcd.New(config, "other", "FIRST", time.Hour)
			}
			s, err := l.Take(ctx, "")
			if c.is == nil {
				if err == nil {
					s, err = l.Renew(ctx)
				}
				if err != nil || !s.Mine {
					t.Errorf("got %+v, %v", s, err)
				}
				return
			}
			if !errors.Is(err, c.is) || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("got %v, want %s", err, c.want)
			}
			for _, text := range []secret.Value{config.Key, server.Config.Password, "not-the-password"} {
				if text != "" && err != nil && strings.Contains(err.Error(), text.Reveal()) {
					t.Errorf("a secret is shown: %v", err)
				}
			}
		})
	}
}

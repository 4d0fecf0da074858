package lock

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"kinit/engine/internal/etcd"
	"kinit/engine/internal/etcd/etcdtest"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/transport"
)

// backend is where locks are, on a host or in an etcd. What is said of locks holds for both.
type backend interface {
	// lock is the lock of c1 for the run of a token.
	lock(t *testing.T, token string) team
	// remove removes the lock, which must not happen.
	remove(t *testing.T)
	// empty reports whether nothing is left of locks.
	empty(t *testing.T) bool

	// guard is a run that has begun, told what it is told of locks.
	guard(t *testing.T, token string, told *[]string) (context.Context, *Guard)
	// take takes the lock for a run. Its way there is cut while cut says so.
	take(t *testing.T, ctx context.Context, g *Guard, cut *atomic.Bool) error
	// called is how messages call the backend, and where it is.
	called() (name, where string)
}

// everywhere calls a test for each backend, with its own. The time of the test is real.
func everywhere(t *testing.T, test func(t *testing.T, b backend)) {
	t.Run("host", func(t *testing.T) {
		test(t, &hostBackend{around: machine(t, nowhere(t), "one", "1000.00"), up: 1000 * time.Second})
	})
	t.Run("etcd", func(t *testing.T) { test(t, newEtcdBackend(t)) })
}

// hostBackend has locks on a host, whose clock goes as that of the test does, in a bubble
// too.
type hostBackend struct {
	around

	mu    sync.Mutex
	began time.Time
	up    time.Duration
}

// host is the host.
func (b *hostBackend) host(t *testing.T) module.Host {
	return clockedHost{moduletest.LocalHost(t, ""), b}
}

// tick sets the host's clock.
func (b *hostBackend) tick() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.began.IsZero() || now.Before(b.began) { // a bubble has begun, and its time is another
		b.began = now.Add(-b.up)
	}
	b.up = now.Sub(b.began)
	file := filepath.Join(b.proc, "uptime")
	text := fmt.Sprintf("%d.%02d 1.00\n", int(b.up.Seconds()), b.up.Milliseconds()/10%100)
	if err := os.WriteFile(file+".new", []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// clockedHost is a host whose clock is set before each command.
type clockedHost struct {
	module.Host
	backend *hostBackend
}

func (c clockedHost) Run(ctx context.Context, cmd module.Command) (module.Output, error) {
	if err := c.backend.tick(); err != nil {
		return module.Output{}, err
	}
	return c.Host.Run(ctx, cmd)
}

// onHost is the lock on a host, for one run.
type onHost struct {
	place
	host module.Host
}

func (o onHost) do(ctx context.Context, op operation) (answer, error) {
	return o.place.do(ctx, o.host, op)
}

func (b *hostBackend) lock(t *testing.T, token string) team {
	return onHost{b.around.place(token), b.host(t)}
}

func (b *hostBackend) guard(t *testing.T, token string, told *[]string) (context.Context, *Guard) {
	return guard(t, b.around, token, told)
}

func (b *hostBackend) take(t *testing.T, ctx context.Context, g *Guard, cut *atomic.Bool) error {
	return g.Take(ctx, []module.Host{&cutHost{Host: b.host(t), name: "h1", cut: cut}})
}

func (b *hostBackend) remove(t *testing.T) {
	t.Helper()
	if err := os.Remove(filepath.Join(b.folder, "c1", "holder")); err != nil {
		t.Fatal(err)
	}
}

func (b *hostBackend) empty(*testing.T) bool { return !there(b.folder) }

func (b *hostBackend) called() (name, where string) { return "h1", "on h1" }

// etcdBackend has locks in a real etcd. Where a run has begun, its leases end by the time of
// the bubble of the test: etcd's own time is another.
type etcdBackend struct {
	server  *etcdtest.Server
	outside *outside
	locks   []*etcd.Lock // outside
}

func newEtcdBackend(t *testing.T) *etcdBackend {
	b := &etcdBackend{server: etcdtest.Start(t), outside: newOutside(t)}
	t.Cleanup(func() {
		for _, l := range b.locks {
			_ = l.Release(context.Background()) // those of runs that were killed
		}
	})
	return b
}

// owned is the lock of an owner, without an end by itself.
func (b *etcdBackend) owned(owner, token string) *etcd.Lock {
	l := etcd.New(b.server.Config, owner, token, time.Hour)
	b.outside.call(func() { b.locks = append(b.locks, l) })
	return l
}

func (b *etcdBackend) lock(_ *testing.T, token string) team { return inEtcd{b.owned("c1", token)} }

func (b *etcdBackend) guard(t *testing.T, token string, told *[]string) (context.Context, *Guard) {
	return guard(t, around{proc: "/proc", team: &cutTeam{team: &leased{backend: b, owner: "c1", lock: b.owned("c1", token)}}}, token, told)
}

func (b *etcdBackend) take(t *testing.T, ctx context.Context, g *Guard, cut *atomic.Bool) error {
	g.around.team.(*cutTeam).cut = cut
	return g.TakeTeam(ctx)
}

func (b *etcdBackend) called() (name, where string) { return "etcd", "in etcd" }

func (b *etcdBackend) remove(t *testing.T) {
	t.Helper()
	if _, err := b.server.Admin.Delete(t.Context(), b.key("c1")); err != nil {
		t.Fatal(err)
	}
}

// key is that of an owner's holder.
func (b *etcdBackend) key(owner string) string {
	return b.server.Config.Prefix + "/" + owner + "/holder"
}

func (b *etcdBackend) empty(t *testing.T) bool { return b.left(t, "/") == 0 }

// left counts the keys below an owner, as in /c1/.
func (b *etcdBackend) left(t *testing.T, owner string) int64 {
	t.Helper()
	var found *clientv3.GetResponse
	var err error
	b.outside.call(func() {
		found, err = b.server.Admin.Get(context.Background(), b.server.Config.Prefix+owner, clientv3.WithPrefix(), clientv3.WithCountOnly())
	})
	if err != nil {
		t.Fatal(err)
	}
	return found.Count
}

// holds reports whether the lock of an owner is that of a run.
func (b *etcdBackend) holds(owner, token string) bool {
	var found *clientv3.GetResponse
	var err error
	b.outside.call(func() { found, err = b.server.Admin.Get(context.Background(), b.key(owner)) })
	return err == nil && len(found.Kvs) > 0 && strings.HasPrefix(string(found.Kvs[0].Value), token+" ")
}

// cutTeam is a team whose network can be cut.
type cutTeam struct {
	team
	cut *atomic.Bool
}

func (c *cutTeam) do(ctx context.Context, o operation) (answer, error) {
	if c.cut != nil && c.cut.Load() {
		return answer{}, fmt.Errorf("%w: the network is cut", transport.ErrUnreachable)
	}
	return c.team.do(ctx, o)
}

// leased is a lock in etcd whose lease ends by the time of a bubble.
type leased struct {
	backend *etcdBackend
	owner   string
	lock    *etcd.Lock
	kept    int // how often the lease restarted or ended; outside
}

func (l *leased) do(_ context.Context, o operation) (answer, error) {
	var a answer
	var err error
	var now int
	var lease clientv3.LeaseID
	l.backend.outside.call(func() {
		a, err = inEtcd{l.lock}.do(context.Background(), o)
		if a.taken || a.renewed || o.name == "release" {
			l.kept++
		}
		now, lease = l.kept, l.backend.lease(l.owner)
	})
	if a.taken || a.renewed {
		time.AfterFunc(lifetime, func() {
			l.backend.outside.call(func() {
				if l.kept == now {
					_, _ = l.backend.server.Admin.Revoke(context.Background(), lease) // another run may have done so
				}
			})
		})
	}
	return a, err
}

// lease is that of an owner's holder. It is called outside.
func (b *etcdBackend) lease(owner string) clientv3.LeaseID {
	found, err := b.server.Admin.Get(context.Background(), b.key(owner))
	if err != nil || len(found.Kvs) == 0 {
		return 0
	}
	return clientv3.LeaseID(found.Kvs[0].Lease)
}

// outside calls functions outside of all bubbles of simulated time, where networks are.
type outside struct {
	mu   sync.Mutex
	todo chan func()
	done chan struct{}
}

// newOutside is called outside of bubbles. It ends with the test.
func newOutside(t *testing.T) *outside {
	o := &outside{todo: make(chan func()), done: make(chan struct{})}
	go func() {
		for do := range o.todo {
			do()
			o.done <- struct{}{}
		}
	}()
	t.Cleanup(func() { close(o.todo) })
	return o
}

// call returns when the function has. Simulated time stands still meanwhile.
func (o *outside) call(do func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.todo <- do
	<-o.done
}

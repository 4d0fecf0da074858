package etcd

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// Lock is the lock of one owner, for one run. It is safe for use by several goroutines.
type Lock struct {
	config       Config
	holder, last string // keys
	token        string
	lifetime     time.Duration

	mu     sync.Mutex // for one operation at a time
	client *clientv3.Client
	lease  clientv3.LeaseID // 0 means none
	began  string           // when the run took the lock, in seconds since 1970
}

// New returns the lock of an owner, for the run of a token; neither has spaces, and the
// owner no slashes. Without a renewal the lock expires after its lifetime, in whole
// seconds. New does not connect. Release must be called.
func New(c Config, owner, token string, lifetime time.Duration) *Lock {
	at := strings.TrimRight(c.Prefix, "/") + "/" + owner + "/"
	return &Lock{config: c, holder: at + "holder", last: at + "last", token: token, lifetime: lifetime}
}

// State is the holder of a lock.
type State struct {
	Mine bool
	Was  string // of one that was taken over: the token of the run that had died

	Holder  string        // the holder of a lock that is not mine; empty if it is free
	Since   time.Duration // for how long, as far as the clocks of two machines agree
	Changed int64         // grows with each renewal
}

// Take takes the lock if it is free or belongs to the run dead.
func (l *Lock) Take(ctx context.Context, dead string) (State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.take(ctx, dead)
	return s, l.config.explain(err)
}

// Renew lets the lock live for another lifetime from now.
func (l *Lock) Renew(ctx context.Context) (State, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, err := l.renew(ctx)
	return s, l.config.explain(err)
}

// Release gives the lock back and closes the connection. Without a lock it only closes.
func (l *Lock) Release(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.client == nil {
		return nil
	}
	err := l.giveBack(ctx)
	_ = l.client.Close() // nothing is on its way any more
	l.client, l.lease = nil, 0
	return l.config.explain(err)
}

func (l *Lock) connect(ctx context.Context) error {
	if l.client != nil {
		return nil
	}
	client, err := l.config.open(ctx)
	if err != nil {
		return err
	}
	l.client = client
	return nil
}

// attempts is how often a lock is tried to take that changes hands meanwhile.
const attempts = 5

func (l *Lock) take(ctx context.Context, dead string) (State, error) {
	if err := l.connect(ctx); err != nil {
		return State{}, err
	}
	for range attempts {
		if s, err := l.attempt(ctx, dead); err != nil || s != (State{}) {
			return s, err
		}
	}
	return State{}, errors.New("the lock changes hands all the time")
}

// attempt looks, and takes the lock if it may. It returns nothing where another run was
// faster.
func (l *Lock) attempt(ctx context.Context, dead string) (State, error) {
	holder, last, err := l.look(ctx)
	if err != nil {
		return State{}, err
	}
	var seen int64
	if holder != nil {
		who := l.read(holder)
		if who.Holder == l.token { // the answer to an earlier attempt was lost
			l.lease = clientv3.LeaseID(holder.Lease)
			return l.renew(ctx)
		}
		if who.Holder != dead {
			return who, nil
		}
		seen = holder.ModRevision
	}
	taken, err := l.put(ctx, seen)
	if err != nil || !taken {
		return State{}, err
	}
	return State{Mine: true, Was: last}, nil
}

func (l *Lock) look(ctx context.Context) (holder *mvccpb.KeyValue, last string, err error) {
	found, err := l.client.Txn(ctx).Then(clientv3.OpGet(l.holder), clientv3.OpGet(l.last)).Commit()
	if err != nil {
		return nil, "", err
	}
	if len(found.Responses) != 2 {
		return nil, "", fmt.Errorf("it gives %d answers to two questions", len(found.Responses))
	}
	holder = first(found.Responses)
	if kv := first(found.Responses[1:]); kv != nil && string(kv.Value) != l.token {
		last = string(kv.Value)
	}
	return holder, last, nil
}

// first returns the key in the first answer, or nil.
func first(answers []*etcdserverpb.ResponseOp) *mvccpb.KeyValue {
	if len(answers) == 0 {
		return nil
	}
	if found := answers[0].GetResponseRange(); found != nil && len(found.Kvs) > 0 {
		return found.Kvs[0]
	}
	return nil
}

func (l *Lock) read(kv *mvccpb.KeyValue) State {
	token, began, _ := strings.Cut(string(kv.Value), " ")
	s := State{Holder: token, Changed: kv.ModRevision}
	if seconds, err := strconv.ParseInt(began, 10, 64); err == nil {
		s.Since = max(time.Since(time.Unix(seconds, 0)), 0)
	}
	return s
}

func (l *Lock) value() string { return l.token + " " + l.began }

// put writes both keys, if that of the holder is still as it was seen, under a lease of its
// own.
func (l *Lock) put(ctx context.Context, seen int64) (bool, error) {
	l.revoke(ctx) // the lease of an attempt whose answer was lost
	granted, err := l.client.Grant(ctx, int64(l.lifetime/time.Second))
	if err != nil {
		return false, err
	}
	l.lease, l.began = granted.ID, strconv.FormatInt(time.Now().Unix(), 10)
	done, err := l.client.Txn(ctx).If(clientv3.Compare(clientv3.ModRevision(l.holder), "=", seen)).
		Then(clientv3.OpPut(l.holder, l.value(), clientv3.WithLease(l.lease)), clientv3.OpPut(l.last, l.token)).Commit()
	if err != nil {
		return false, err
	}
	if !done.Succeeded {
		l.revoke(ctx)
	}
	return done.Succeeded, nil
}

// revoke ends the lease there is, or leaves it to end by itself.
func (l *Lock) revoke(ctx context.Context) {
	if l.lease != 0 {
		_, _ = l.client.Revoke(ctx, l.lease)
		l.lease = 0
	}
}

// renew extends the lease first, then checks that the lock still belongs to it. Rewriting the
// key shows the others that the run is alive.
func (l *Lock) renew(ctx context.Context) (State, error) {
	if l.client == nil || l.lease == 0 {
		return State{}, nil
	}
	if err := l.extend(ctx); err != nil && !errors.Is(err, rpctypes.ErrLeaseNotFound) {
		return State{}, err
	}
	done, err := l.client.Txn(ctx).If(clientv3.Compare(clientv3.LeaseValue(l.holder), "=", l.lease), clientv3.Compare(clientv3.Version(l.holder), ">", 0)).
		Then(clientv3.OpPut(l.holder, l.value(), clientv3.WithLease(l.lease))).Else(clientv3.OpGet(l.holder)).Commit()
	switch {
	case errors.Is(err, rpctypes.ErrLeaseNotFound):
		return State{}, nil // it ended just now
	case err != nil:
		return State{}, err
	case done.Succeeded:
		return State{Mine: true}, nil
	}
	if kv := first(done.Responses); kv != nil {
		return l.read(kv), nil
	}
	return State{}, nil
}

// extend renews the lease. The client's own call repeats without a pause while no member
// answers.
func (l *Lock) extend(ctx context.Context) error {
	within, cancel := context.WithCancel(ctx)
	defer cancel()
	stream, err := etcdserverpb.NewLeaseClient(l.client.ActiveConnection()).LeaseKeepAlive(within)
	if err != nil {
		return rpctypes.Error(err)
	}
	if err := stream.Send(&etcdserverpb.LeaseKeepAliveRequest{ID: int64(l.lease)}); err != nil {
		return rpctypes.Error(err)
	}
	answer, err := stream.Recv()
	if err != nil {
		return rpctypes.Error(err)
	}
	if answer.TTL <= 0 {
		return rpctypes.ErrLeaseNotFound
	}
	return nil
}

// giveBack removes both keys if they are the run's, then the lease.
func (l *Lock) giveBack(ctx context.Context) error {
	if l.lease == 0 {
		return nil
	}
	_, err := l.client.Txn(ctx).If(clientv3.Compare(clientv3.Value(l.last), "=", l.token)).
		Then(clientv3.OpDelete(l.holder), clientv3.OpDelete(l.last)).Commit()
	_, ended := l.client.Revoke(ctx, l.lease)
	if errors.Is(ended, rpctypes.ErrLeaseNotFound) {
		ended = nil
	}
	if err = errors.Join(err, ended); err != nil {
		return fmt.Errorf("give the lock back: %w", err)
	}
	return nil
}

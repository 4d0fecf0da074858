package lock

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"kinit/engine/internal/etcd"
	"kinit/engine/module"
)

// held is the lock of a run on one host, or that of its team.
type held struct {
	host   module.Host
	place  place
	team   team          // instead of a host
	made   bool          // the playbook makes the host; other locks decide
	taking chan struct{} // holds a token while the lock is being taken

	refused error // another run has the lock

	mu        sync.Mutex
	taken     bool
	given     bool          // given back
	confirmed time.Duration // this machine's clock when the last successful renewal was sent
	away      time.Duration // this machine's clock until which the host may be away, or 0
	refusal   string        // the end of a message: what the host said to the last renewal; empty if it granted it or did not answer
}

func (l *held) do(ctx context.Context, o operation) (answer, error) {
	if l.team != nil {
		return l.team.do(ctx, o)
	}
	return l.place.do(ctx, l.host, o)
}

func (l *held) name() string {
	if l.team != nil {
		return teamName
	}
	return l.host.Name()
}

func (l *held) where() string {
	if l.team != nil {
		return "in " + teamName
	}
	return "on " + l.host.Name()
}

func (l *held) has() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken && !l.given
}

// confirm records that the host has confirmed the lock; sent is the time of the request.
func (l *held) confirm(sent time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken, l.confirmed, l.refusal = true, max(l.confirmed, sent), ""
}

// failed records why a renewal failed, if the host has said so.
func (l *held) failed(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.refusal = ""
	if exit, said := errors.AsType[*module.ExitError](err); said {
		l.refusal = ": " + module.Tail(exit.Stderr, 1)
	}
}

// reason returns why the host refused the last renewal, as the end of a message.
func (l *held) reason() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.refusal
}

// leave records until when the host may be away.
func (l *held) leave(until time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.away = until
}

// absence returns how much longer the host may be away.
func (l *held) absence(now time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return max(l.away-now, 0)
}

// overdue reports whether the run must stop, because the lock was not renewed in time.
func (l *held) overdue(now time.Duration) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.taken && !l.given && !l.made && now-l.confirmed >= patience && now >= l.away
}

// give marks the lock as given back, and reports whether there is something to give.
func (l *held) give() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	had := l.taken && !l.given
	l.given = true
	return had
}

// team is the common place for the locks of a team. do is an operation as in the script, on
// a key instead of a folder of a host.
type team interface {
	do(ctx context.Context, o operation) (answer, error)
}

// teamName replaces the host's name in messages about the team's lock.
const teamName = "etcd"

// inEtcd is a lock in etcd.
type inEtcd struct{ *etcd.Lock }

func (e inEtcd) do(ctx context.Context, o operation) (answer, error) {
	timed, cancel := context.WithTimeout(ctx, etcdTime)
	defer cancel()
	switch o.name {
	case "take":
		s, err := e.Take(timed, o.dead)
		return answer{taken: s.Mine, was: s.Was, holder: s.Holder, since: s.Since, until: strconv.FormatInt(s.Changed, 10)}, err
	case "renew":
		s, err := e.Renew(timed)
		return answer{renewed: s.Mine, holder: s.Holder}, err
	case "release":
		return answer{}, e.Release(timed)
	}
	return answer{}, fmt.Errorf("%s is no operation on a lock", o.name)
}

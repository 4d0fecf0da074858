package lock

import (
	"context"
	"fmt"
	"strconv"

	"kinit/engine/internal/etcd"
)

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

// TakeTeam takes the team's lock, if there is one. It comes before the locks of hosts, so
// that two runs exclude each other even if they share no host. It waits like Take.
func (g *Guard) TakeTeam(ctx context.Context) error {
	if g.around.team == nil {
		return nil
	}
	l := &held{team: g.around.team}
	g.mu.Lock()
	g.team = l
	g.mu.Unlock()
	sent, err := g.take(ctx, l)
	if err != nil {
		return err
	}
	l.confirm(sent)
	g.ended.Go(func() { g.keep(l) })
	return nil
}

// freeTeam gives the team's lock back, after those of the hosts, so that no other run asks
// for these before. It closes the lock even if it was not taken.
func (g *Guard) freeTeam(ctx context.Context) {
	g.mu.Lock()
	l := g.team
	g.team = nil
	g.mu.Unlock()
	if l != nil {
		l.give()
		timed, cancel := context.WithTimeout(context.WithoutCancel(ctx), freeTime)
		defer cancel()
		_, _ = l.do(timed, operation{name: "release"}) // otherwise its lease expires by itself
	}
}

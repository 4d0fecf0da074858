package run

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"sync"

	"kinit/engine/event"
	"kinit/engine/module"
)

// atOnce is how many hosts are asked at the same time for notifications at the end of a run.
const atOnce = 16

// lookAround reads the notifications on the hosts of the run that no handler has led to: the spec may have lost its
// last handler there. It makes no connections, and what cannot be read is left.
func (o *owed) lookAround(ctx context.Context) {
	if o.as.Playbook == "" || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, clearing)
	defer cancel()
	slots := make(chan struct{}, atOnce)
	var all sync.WaitGroup
	for _, l := range o.logins() {
		s := o.shelfFor(l)
		slots <- struct{}{}
		all.Go(func() {
			defer func() { <-slots }()
			s.enter(ctx)
			defer s.turn.Unlock()
			if s.opened || s.failed != nil {
				return
			}
			if _, err := o.open(ctx, s); err != nil && ctx.Err() == nil && !isConnection(err) && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
				o.warnOf(l.host, "Pending handlers not known", "Whether earlier runs have left handlers to be done on %s could not be read: %s.", l.host, err)
			}
		})
	}
	all.Wait()
}

// logins lists as whom the run's hosts may keep notifications, if they are connected.
func (o *owed) logins() (all []login) {
	seen := map[login]bool{}
	for _, t := range allTasks(o.plan) {
		for _, l := range []login{shelfOf(t), {host: t.Host}} {
			if t.Skip == "" && !seen[l] && !o.endings.isLost(l.host) && o.machines.connected(l) {
				all = append(all, l)
			}
			seen[l] = true
		}
	}
	return all
}

// isCleaned reports whether the run has removed all that the owner had on a host.
func (o *owed) isCleaned(ctx context.Context, s *shelf) bool {
	if o.plan.Owner == "" || ctx.Err() != nil {
		return false
	}
	for _, t := range allTasks(o.plan) {
		if t.Host != s.login.host || !t.Sweeps() || o.endings.of(t.Address).result.Status != event.Changed {
			continue
		}
		as := loginOf(t)
		if m := o.machines.connections.Connected(as.host, as.as()); m != nil {
			found, err := m.Found(ctx, o.plan.Owner)
			return err == nil && found.Nothing()
		}
	}
	return false
}

// tidy removes the folder of notifications from a host that is clean, and kinit's folder above it, if they are empty.
func (o *owed) tidy(ctx context.Context, s *shelf) {
	s.enter(ctx)
	defer s.turn.Unlock()
	m := o.machines.connections.Connected(s.login.host, s.login.as())
	if m == nil || !s.made || len(s.notes)+len(s.others) > 0 || !strings.HasPrefix(s.folder, module.StateFolder+"/") {
		return
	}
	for _, folder := range []string{s.folder, module.StateFolder} {
		_, _ = m.Bind("", nil).Run(ctx, module.Command{Argv: []string{"rmdir", "--ignore-fail-on-non-empty", "--", folder}}) // an empty folder harms nothing
	}
	s.made = false
}

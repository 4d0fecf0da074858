package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kinit/engine/internal/plan"
	"kinit/engine/module"
	"kinit/engine/pace"
)

// After an interrupt: how long a host may take to answer, and how long until it is asked
// again.
const (
	presentLimit = 6 * time.Second
	presentAgain = 2 * time.Second
)

// hostWatch checks, after an interrupt, whether the hosts with tasks of always still answer.
// The user waits for the run to end, and without it those tasks would wait for each host
// that has vanished.
type hostWatch struct {
	run   context.Context         // ends when the run is interrupted
	hosts map[string]*watchedHost // by name
	end   func()
	all   sync.WaitGroup
}

// watchedHost is one host. Its context ends when the host does not answer.
type watchedHost struct {
	here  context.Context
	lose  context.CancelCauseFunc
	known chan struct{} // closed after the first answer
}

// watchHosts begins to watch the hosts of some tasks; it asks no host before ctx ends. The caller
// calls leave.
func (m *machines) watchHosts(ctx context.Context, tasks []*plan.Task) *hostWatch {
	watch, end := context.WithCancel(context.WithoutCancel(ctx))
	w := &hostWatch{run: ctx, hosts: map[string]*watchedHost{}, end: end}
	for _, t := range tasks {
		if t.Host == "" || w.hosts[t.Host] != nil {
			continue
		}
		a := &watchedHost{known: make(chan struct{})}
		a.here, a.lose = context.WithCancelCause(watch)
		w.hosts[t.Host] = a
		w.all.Go(func() {
			select {
			case <-watch.Done():
			case <-ctx.Done():
				m.ask(watch, t, a)
			}
		})
	}
	return w
}

// leave ends the watch and waits for it.
func (w *hostWatch) leave() {
	w.end()
	w.all.Wait()
	for _, a := range w.hosts {
		a.lose(nil)
	}
}

// ask asks a host repeatedly until it does not answer or the watch ends.
func (m *machines) ask(watch context.Context, t *plan.Task, a *watchedHost) {
	for first := true; watch.Err() == nil; first = false {
		if err := m.answers(watch, t); err != nil && watch.Err() == nil {
			a.lose(&absence{t.Host, err})
		}
		if first {
			close(a.known)
		}
		if a.here.Err() != nil || pace.Wait(watch, presentAgain) != nil {
			return
		}
	}
}

// answers asks the host of a task for a file that every host has. A timeout or a failed
// connection is an error, and so is another answer.
func (m *machines) answers(ctx context.Context, t *plan.Task) error {
	limited, cancel := context.WithTimeoutCause(ctx, presentLimit, fmt.Errorf("nothing came within %s", presentLimit))
	defer cancel()
	machine, err := m.connect(limited, t)
	if err != nil {
		return unanswered(limited, err)
	}
	root := "/"
	if machine.OS() == module.Windows {
		root = "C:/"
	}
	_, err = machine.Bind("", nil).Files().Stat(limited, root)
	return unanswered(limited, err)
}

// unanswered returns the error of a host that did not answer, or nil for other errors,
// which are answers.
func unanswered(limited context.Context, err error) error {
	switch {
	case err == nil:
		return nil
	case limited.Err() != nil:
		return context.Cause(limited)
	case isConnection(err):
		return err
	}
	return nil
}

// whileAnswering returns the context of a task of always. It ends when the run is interrupted and
// the task's host does not answer.
func (w *hostWatch) whileAnswering(ctx context.Context, t *plan.Task) (context.Context, func()) {
	a := w.hosts[t.Host]
	if a == nil {
		return ctx, func() {}
	}
	if w.run.Err() != nil {
		select {
		case <-a.known:
		case <-ctx.Done():
		}
	}
	within, cancel := context.WithCancelCause(ctx)
	lost := func() { cancel(context.Cause(a.here)) }
	if a.here.Err() != nil {
		lost()
	}
	stop := context.AfterFunc(a.here, lost)
	return within, func() {
		stop()
		cancel(nil)
	}
}

// interrupted returns why a task ended whose context has ended.
func interrupted(ctx context.Context) string {
	if away := (*absence)(nil); errors.As(context.Cause(ctx), &away) {
		return away.Error()
	}
	return "interrupted"
}

// absence is the reason why nothing more is done on a host.
type absence struct {
	host string
	err  error
}

func (a *absence) Error() string {
	return fmt.Sprintf("interrupted, and %s does not answer: %s", a.host, a.err)
}

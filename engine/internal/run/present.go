package run

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"kinit/engine/internal/host"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// How long a host may take to show that it is there once the run was interrupted, and how
// long after that it is asked again.
const (
	presentLimit = 6 * time.Second
	presentAgain = 2 * time.Second
)

// presence watches, from the moment at which a run is interrupted, whether the hosts still
// answer on which something is done always. Somebody waits for the run to end, and what is
// done always would else wait for each host that has vanished.
type presence struct {
	run   context.Context        // ends when the run is interrupted
	hosts map[string]*attendance // by name
	end   func()
	all   sync.WaitGroup
}

// attendance is one host. Its context ends when the host is found not to answer.
type attendance struct {
	here  context.Context
	lose  context.CancelCauseFunc
	known chan struct{} // closed when it was asked once
}

// attend begins to watch; nothing is asked before ctx ends. The caller calls leave.
func (r *runner) attend(ctx context.Context) *presence {
	watch, end := context.WithCancel(context.WithoutCancel(ctx))
	p := &presence{run: ctx, hosts: map[string]*attendance{}, end: end}
	for _, t := range r.plan.Always.Tasks {
		if t.Host == "" || p.hosts[t.Host] != nil {
			continue
		}
		a := &attendance{known: make(chan struct{})}
		a.here, a.lose = context.WithCancelCause(watch)
		p.hosts[t.Host] = a
		p.all.Go(func() {
			select {
			case <-watch.Done():
			case <-ctx.Done():
				r.ask(watch, t, a)
			}
		})
	}
	return p
}

// leave ends the watch and waits for it.
func (p *presence) leave() {
	p.end()
	p.all.Wait()
	for _, a := range p.hosts {
		a.lose(nil)
	}
}

// ask asks a host again and again until it does not answer, or nobody watches.
func (r *runner) ask(watch context.Context, t *plan.Task, a *attendance) {
	for first := true; watch.Err() == nil; first = false {
		if err := r.answers(watch, t); err != nil && watch.Err() == nil {
			a.lose(&absence{t.Host, err})
		}
		if first {
			close(a.known)
		}
		if a.here.Err() != nil || pause(watch, presentAgain) != nil {
			return
		}
	}
}

// answers asks the host of a task for what every host has. That it takes too long, or that
// it cannot be reached, is an error; another answer is one too.
func (r *runner) answers(ctx context.Context, t *plan.Task) error {
	limited, cancel := context.WithTimeoutCause(ctx, presentLimit, fmt.Errorf("nothing came within %s", presentLimit))
	defer cancel()
	as := (*host.Become)(nil)
	if t.Become != nil {
		as = &host.Become{User: t.Become.User, Method: t.Become.Method}
	}
	machine := r.pool.Connected(t.Host, as)
	if machine == nil {
		var err error
		if machine, err = r.connect(limited, t); err != nil {
			return unanswered(limited, err)
		}
	}
	root := "/"
	if machine.OS() == module.Windows {
		root = "C:/"
	}
	_, err := machine.Bind("", nil).Files().Stat(limited, root)
	return unanswered(limited, err)
}

// unanswered is the error of a host that did not answer; others are answers.
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

// present is the context of a task that is done always. It ends when the run is interrupted
// and the task's host does not answer.
func (p *presence) present(ctx context.Context, t *plan.Task) (context.Context, func()) {
	a := p.hosts[t.Host]
	if a == nil {
		return ctx, func() {}
	}
	if p.run.Err() != nil {
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

// interrupted says why a task was ended whose context has.
func interrupted(ctx context.Context) string {
	if away := (*absence)(nil); errors.As(context.Cause(ctx), &away) {
		return away.Error()
	}
	return "interrupted"
}

// absence is why nothing is done on a host any more.
type absence struct {
	host string
	err  error
}

func (a *absence) Error() string {
	return fmt.Sprintf("interrupted, and %s does not answer: %s", a.host, a.err)
}

package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/pending"
	"kinit/engine/internal/plan"
)

// Pending says how the hosts keep which handlers were notified and have not been done.
type Pending struct {
	Playbook string // identifies the playbook on the hosts; empty keeps nothing
	Spec     string // the name of the spec
	Folder   string // on the machine that kinit runs on; empty keeps nothing there
}

// owed holds the notifications of a run that hosts keep. It is safe for use by several
// goroutines.
type owed struct {
	as       Pending
	plan     *plan.Plan
	endings  *endings
	machines *machines
	handlers map[string][]*plan.Task // the handlers of a block for a host, in plan order
	notifies map[string][]*plan.Task // the handlers that a task notifies, by its address

	mu       sync.Mutex
	shelves  map[login]*shelf
	order    []*shelf
	fresh    map[string]bool // by address of the task: it has written a note in this run
	problems diag.List
}

func newOwed(p *plan.Plan, endings *endings, machines *machines, opts Options) *owed {
	o := &owed{
		as: opts.Pending, plan: p, endings: endings, machines: machines, handlers: map[string][]*plan.Task{}, notifies: map[string][]*plan.Task{},
		shelves: map[login]*shelf{}, fresh: map[string]bool{},
	}
	if opts.Offline {
		o.as = Pending{}
	}
	for _, t := range allTasks(p) {
		if !t.Handler {
			continue
		}
		o.handlers[handlerKey(t.BlockAddress(), t.Host)] = append(o.handlers[handlerKey(t.BlockAddress(), t.Host)], t)
		for _, by := range t.Watches {
			o.notifies[by.Address] = append(o.notifies[by.Address], t)
		}
	}
	return o
}

func allTasks(p *plan.Plan) []*plan.Task {
	return slices.Concat(p.Main.Tasks, p.OnFailure.Tasks, p.Always.Tasks)
}

func handlerKey(block, host string) string { return block + "\n" + host }

// promise stores, before a task changes anything, that the handlers are to be done that it notifies: on the
// hosts of the handlers, or on its own while these are not there.
func (o *owed) promise(ctx context.Context, t *plan.Task) error {
	if o.as.Playbook == "" {
		return nil
	}
	for _, h := range o.notifies[t.Address] {
		note := pending.Note{Playbook: o.as.Playbook, Spec: o.as.Spec, Handler: h.BlockAddress(), Host: h.Host, Task: t.Address, Since: time.Now().UTC().Truncate(time.Second)}
		written, err := o.put(ctx, h, t, note)
		if err != nil {
			return fmt.Errorf("store on the host that %s is notified, before anything changes: %w", h.Address, err)
		}
		if written {
			o.mu.Lock()
			o.fresh[t.Address] = true
			o.mu.Unlock()
		}
	}
	return nil
}

// put writes a note where a handler is done, or where the task is.
func (o *owed) put(ctx context.Context, h, t *plan.Task, note pending.Note) (written bool, err error) {
	if h.Host == t.Host {
		return o.shelf(h).put(ctx, o, note)
	}
	s := o.shelf(h)
	if !s.away.Load() && o.isThere(h) {
		if written, err = s.put(ctx, o, note); err == nil || ctx.Err() != nil {
			return written, err
		}
		s.away.Store(true) // later tasks of other hosts do not wait for it again
	}
	return o.shelf(t).put(ctx, o, note)
}

// isThere reports whether the host of a handler may be asked: the run has not lost it, and those of its tasks that
// create it have ended.
func (o *owed) isThere(h *plan.Task) bool {
	if o.endings.isLost(h.Host) {
		return false
	}
	return !slices.ContainsFunc(o.plan.HostNeeds(h.Host), func(address string) bool {
		end := o.endings.of(address)
		return o.task(address) != nil && (end.task == nil || end.undone || end.pending)
	})
}

// withdraw removes what a task has stored in this run, if it has changed nothing after all.
func (o *owed) withdraw(ctx context.Context, t *plan.Task) {
	o.mu.Lock()
	fresh := o.fresh[t.Address]
	o.mu.Unlock()
	if !fresh {
		return
	}
	for _, h := range o.notifies[t.Address] {
		o.remove(ctx, h, []*plan.Task{h, t}, func(note pending.Note) bool { return note.Task == t.Address })
	}
}

// find lists the notifications of a handler that earlier runs have left, and whose task has not failed in this run.
func (o *owed) find(ctx context.Context, h *plan.Task) (found []pending.Note) {
	if o.as.Playbook == "" || !o.isThere(h) {
		return nil
	}
	for _, place := range o.places(h) {
		notes, err := o.list(ctx, place)
		if err != nil && ctx.Err() == nil {
			o.warn(h, "Pending handlers not known", "Whether earlier runs have left %s to be done on %s could not be read: %s.", h.Address, h.Host, err)
		}
		for _, note := range notes {
			if o.isFor(note, h, place) && !o.endings.of(note.Task).undone {
				found = append(found, note)
			}
		}
	}
	return found
}

// places lists tasks whose hosts may keep notifications of a handler: itself, and those of other hosts that
// notify it, if these hosts are connected.
func (o *owed) places(h *plan.Task) []*plan.Task {
	places, seen := []*plan.Task{h}, map[login]bool{shelfOf(h): true}
	for _, by := range h.Watches {
		t := o.task(by.Address)
		if t != nil && t.Host != h.Host && !seen[shelfOf(t)] && o.machines.connected(shelfOf(t)) {
			seen[shelfOf(t)] = true
			places = append(places, t)
		}
	}
	return places
}

// task returns the selected task with an address, or nil.
func (o *owed) task(address string) *plan.Task {
	for _, s := range []plan.Section{o.plan.Main, o.plan.OnFailure, o.plan.Always} {
		if t := s.Task(address); t != nil {
			return t
		}
	}
	return nil
}

// isFor reports whether a note, which is in a place, means a handler: the one that comes after the task, or the
// first one if the run has no such task. A host only keeps notes of its own tasks for handlers elsewhere.
func (o *owed) isFor(note pending.Note, h, place *plan.Task) bool {
	if note.Handler != h.BlockAddress() || note.Host != h.Host {
		return false
	}
	if t := o.task(note.Task); place.Host != h.Host && (t == nil || t.Host != place.Host) {
		return false
	}
	all := o.handlers[handlerKey(h.BlockAddress(), h.Host)]
	i := slices.IndexFunc(all, func(other *plan.Task) bool {
		return slices.ContainsFunc(other.Watches, func(by *plan.Member) bool { return by.Address == note.Task })
	})
	return all[max(i, 0)] == h
}

// settle removes the notifications of a handler that was done.
func (o *owed) settle(ctx context.Context, h *plan.Task) {
	if o.as.Playbook == "" {
		return
	}
	o.remove(ctx, h, o.places(h), nil)
}

// clearing is how long a host may take to remove a notification after an interrupt.
const clearing = 10 * time.Second

// remove removes notes of a handler in some places: all, or those that are meant. A run that is interrupted just now
// still does it.
func (o *owed) remove(ctx context.Context, h *plan.Task, places []*plan.Task, meant func(pending.Note) bool) {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
	defer cancel()
	for _, place := range places {
		err := o.shelf(place).take(within, o, func(note pending.Note) bool {
			return o.isFor(note, h, place) && (meant == nil || meant(note))
		})
		if err != nil {
			o.warn(h, "Handler stays pending", "That %s is not to be done on %s any more could not be stored, so the next run does it again: %s.", h.Address, h.Host, err)
		}
	}
}

// warn records a problem that fails no task, once.
func (o *owed) warn(h *plan.Task, summary, format string, args ...any) {
	w := diag.Warnf(&h.Range, summary, format, args...)
	w[0].Address, w[0].Host = h.Address, h.Host
	o.note(w)
}

// warnOf records a problem of a host.
func (o *owed) warnOf(host, summary, format string, args ...any) {
	w := diag.Warnf(nil, summary, format, args...)
	w[0].Host = host
	o.note(w)
}

func (o *owed) note(w diag.List) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.problems = append(o.problems, w...)
}

// left lists what is still to be done, as warnings. What the spec does not have any more is dropped, unless the run
// only reads, and so is what a clean-up has left.
func (o *owed) left(ctx context.Context, check bool) diag.List {
	o.lookAround(ctx)
	o.mu.Lock()
	shelves, diags := slices.Clone(o.order), slices.Clone(o.problems)
	o.mu.Unlock()
	for _, s := range shelves {
		own, others := s.all()
		if !check && o.isCleaned(ctx, s) {
			for _, note := range own {
				diags = append(diags, o.drop(ctx, s, note, fmt.Sprintf("Nothing of %s is left on %s, where %s was notified by %s", o.plan.Owner, note.Host, note.Handler, note.Task), check)...)
			}
			o.tidy(ctx, s)
			continue
		}
		for _, note := range own {
			at := o.place(note)
			if at != nil && s.login.host == note.Host && s.login != shelfOf(at) {
				continue // another shelf has it, which is up to date
			}
			if at == nil && o.isGone(note) {
				diags = append(diags, o.drop(ctx, s, note, fmt.Sprintf("The spec has no task %s any more that notifies %s, which was notified on %s", event.WithoutKeys(note.Task), note.Handler, note.Host), check)...)
				continue
			}
			diags = append(diags, o.remains(s, note, at, check)...)
		}
		for _, note := range others {
			diags = append(diags, o.earlier(s, note)...)
		}
	}
	return diags.Distinct()
}

// place returns the handler of a note if the run has it.
func (o *owed) place(note pending.Note) *plan.Task {
	if all := o.handlers[handlerKey(note.Handler, note.Host)]; len(all) > 0 {
		return all[0]
	}
	return nil
}

// remains is the warning of a notification that stays.
func (o *owed) remains(s *shelf, note pending.Note, h *plan.Task, check bool) diag.List {
	what := fmt.Sprintf("%s was notified on %s by %s at %s and has not run since. ", note.Handler, note.Host, note.Task, note.Since.Format(time.RFC3339))
	switch {
	case h == nil && !o.has(note):
		what += fmt.Sprintf("This spec does not have the handler. A run of the spec %q does it. If there is no such spec any more, do the work by hand if it is still needed, and remove %s on %s.",
			note.Spec, note.Path(s.folder), s.login.host)
	case h == nil:
		what += "This selection of hosts and tasks leaves the handler out, so it stays pending. A run of the whole spec does it."
	case check:
		what += "The next run does it."
	default:
		what += "It stays pending, and the next run does it."
	}
	w := diag.Warnf(nil, "Handler is pending", "%s", what)
	w[0].Address, w[0].Host = note.Handler, note.Host
	if h != nil {
		w[0].Address, w[0].Subject = h.Address, &h.Range
	}
	return w
}

// earlier is the warning of another playbook's notification for a handler and a task that this spec has too: its name
// may have been that one before. Whether it was is not known, so the notification stays.
func (o *owed) earlier(s *shelf, note pending.Note) diag.List {
	if !o.has(note) {
		return nil
	}
	w := diag.Warnf(nil, "Handler of another spec is pending",
		"%s was notified on %s by %s at %s, by the spec %q, and has not run since. A run of that spec does it. If it is an earlier name of this one, do the work by hand if it is still needed, and remove %s on %s.",
		note.Handler, note.Host, note.Task, note.Since.Format(time.RFC3339), note.Spec, note.Path(s.folder), s.login.host)
	w[0].Address, w[0].Host = note.Handler, note.Host
	return w
}

// has reports whether the spec has a note's handler, and the task that notified it.
func (o *owed) has(note pending.Note) bool {
	return o.plan.MayNotify(event.WithoutKeys(note.Task), event.WithoutKeys(note.Handler))
}

// isGone reports whether the spec has no such handler any more, or no task that notifies it.
func (o *owed) isGone(note pending.Note) bool { return note.Spec == o.as.Spec && !o.has(note) }

// drop removes a notification that no run will do, for a reason.
func (o *owed) drop(ctx context.Context, s *shelf, note pending.Note, why string, check bool) diag.List {
	what := fmt.Sprintf("%s at %s and has not run since. ", why, note.Since.Format(time.RFC3339))
	ending := "kinit run drops the notification; if the work is still needed, do it by hand."
	if !check {
		ending = "The notification is dropped; if the work is still needed, do it by hand."
		if err := s.drop(ctx, o, note); err != nil {
			ending = "The notification could not be removed: " + strings.TrimSuffix(err.Error(), ".") + "."
		}
	}
	w := diag.Warnf(nil, "Pending handler is gone", "%s", what+ending)
	w[0].Address, w[0].Host = note.Handler, note.Host
	return w
}

// isOwed reports whether a handler that nothing has notified is to be done for earlier runs.
func (r *runner) isOwed(ctx context.Context, h *plan.Task) bool {
	if !h.Handler || h.Skip != "" || ctx.Err() != nil || r.waitsFor(h) != "" {
		return false
	}
	found := r.owed.find(ctx, h)
	if len(found) == 0 {
		return false
	}
	first := found[0]
	message := fmt.Sprintf("notified by %s at %s, in an earlier run", first.Task, first.Since.Format(time.RFC3339))
	if len(found) > 1 {
		message += fmt.Sprintf(", and %d more", len(found)-1)
	}
	r.report.emitOf(h, event.Event{Kind: event.HandlerPending, Message: r.report.redact(message)})
	return true
}

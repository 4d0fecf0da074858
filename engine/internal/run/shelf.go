package run

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"sync"
	"sync/atomic"

	"kinit/engine/graph"
	"kinit/engine/internal/host"
	"kinit/engine/internal/pending"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
)

// shelf is where a host keeps the notifications of the playbook, for one user.
type shelf struct {
	login login
	away  atomic.Bool // the host did not answer when nothing had to be done there yet

	turn   sync.Mutex // held while the host is asked
	opened bool
	failed error  // why it cannot be read; not that the host does not answer
	folder string // empty keeps nothing
	made   bool   // the folder exists
	notes  []pending.Note
	others []pending.Note // of other playbooks
}

// shelfOf returns whose shelf a task's notifications are on: root's, or else that of the user who logs in.
// Other users, such as those of services, often have no folder of their own.
func shelfOf(t *plan.Task) login {
	l := loginOf(t)
	if l.become.User != "root" {
		return login{host: t.Host}
	}
	return l
}

// shelf returns the shelf of a task.
func (o *owed) shelf(t *plan.Task) *shelf { return o.shelfFor(shelfOf(t)) }

func (o *owed) shelfFor(key login) *shelf {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.shelves[key] == nil {
		o.shelves[key] = &shelf{login: key}
		o.order = append(o.order, o.shelves[key])
	}
	return o.shelves[key]
}

// open connects to a shelf and reads it the first time. The caller holds turn.
func (o *owed) open(ctx context.Context, s *shelf) (module.Files, error) {
	if s.failed != nil {
		return nil, s.failed
	}
	machine, err := o.machines.enter(ctx, s.login)
	if err == nil && !s.opened {
		err = o.read(ctx, s, machine)
	}
	if err != nil {
		if ctx.Err() == nil && !isConnection(err) {
			s.failed = err
		}
		return nil, err
	}
	return machine.Bind("", nil).Files(), nil
}

func (o *owed) read(ctx context.Context, s *shelf, machine *host.Machine) error {
	folder, err := o.folderOn(ctx, machine)
	if err != nil {
		return err
	}
	if folder != "" {
		notes, err := pending.Read(ctx, machine.Bind("", nil).Files(), folder, o.as.Playbook)
		if err != nil {
			return err
		}
		s.notes, s.others, s.made = notes.Own, notes.Others, notes.Folder
	}
	s.folder, s.opened = folder, true
	return nil
}

// folderOn returns the folder of a machine, or an empty text if nothing is kept there.
func (o *owed) folderOn(ctx context.Context, machine *host.Machine) (string, error) {
	switch {
	case machine.Itself():
		return o.as.Folder, nil
	case machine.OS() == module.Windows:
		return module.WindowsStateFolder + pending.Folder, nil
	case machine.Root():
		return module.StateFolder + pending.Folder, nil
	}
	h := machine.Bind("", nil)
	home, err := homeOf(ctx, h, "")
	if err != nil {
		return "", err
	}
	if _, err := h.Files().Stat(ctx, home); err != nil {
		return "", fmt.Errorf("the home folder of the user who logs in: %w; create it, or let the handler become root", err)
	}
	return home + "/.local/state/kinit" + pending.Folder, nil
}

// enter takes the turn. The wait for it holds no place of the walk, which the visit that has the turn may
// need to go on.
func (s *shelf) enter(ctx context.Context) {
	if !s.turn.TryLock() {
		graph.Behind(ctx, s.turn.Lock)
	}
}

// put writes a note, unless it is there. It reports whether it has.
func (s *shelf) put(ctx context.Context, o *owed, note pending.Note) (bool, error) {
	s.enter(ctx)
	defer s.turn.Unlock()
	files, err := o.open(ctx, s)
	if err != nil || s.folder == "" || slices.ContainsFunc(s.notes, note.Same) {
		return false, err
	}
	if !s.made {
		if err := files.Mkdir(ctx, s.folder, module.Attr{Mode: 0o700}); err != nil {
			return false, err
		}
		s.made = true
	}
	if err := pending.Write(ctx, files, s.folder, note); err != nil {
		return false, err
	}
	s.notes = append(s.notes, note)
	return true, nil
}

// list returns the notes of a shelf. A host that did not answer is not asked again.
func (o *owed) list(ctx context.Context, t *plan.Task) ([]pending.Note, error) {
	s := o.shelf(t)
	s.enter(ctx)
	defer s.turn.Unlock()
	if s.away.Load() && !o.machines.connected(s.login) {
		return nil, nil
	}
	if _, err := o.open(ctx, s); err != nil {
		if isConnection(err) {
			s.away.Store(true)
		}
		return nil, err
	}
	return slices.Clone(s.notes), nil
}

// take removes those notes that are meant.
func (s *shelf) take(ctx context.Context, o *owed, meant func(pending.Note) bool) error {
	s.enter(ctx)
	defer s.turn.Unlock()
	if !slices.ContainsFunc(s.notes, meant) {
		return nil
	}
	files, err := o.open(ctx, s)
	if err != nil {
		return err
	}
	var left []pending.Note
	for _, note := range s.notes {
		if !meant(note) {
			left = append(left, note)
			continue
		}
		if failed := pending.Remove(ctx, files, s.folder, note); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			left, err = append(left, note), failed
		}
	}
	s.notes = left
	return err
}

// drop removes one note.
func (s *shelf) drop(ctx context.Context, o *owed, note pending.Note) error {
	within, cancel := context.WithTimeout(context.WithoutCancel(ctx), clearing)
	defer cancel()
	return s.take(within, o, note.Same)
}

// all returns the known notes: those of the playbook, and those of other playbooks.
func (s *shelf) all() (own, others []pending.Note) {
	s.turn.Lock()
	defer s.turn.Unlock()
	return slices.Clone(s.notes), slices.Clone(s.others)
}

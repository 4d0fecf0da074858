package moduletest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/engine/shell"
)

// ledger holds what both hosts keep in memory: marks, progress and secrets.
type ledger struct {
	name, owner string
	instance    string
	redactor    secret.Redactor

	mu       sync.Mutex
	marks    []module.Mark
	progress []event.Progress
}

// Name returns the host's name.
func (l *ledger) Name() string { return l.name }

// OS is Linux: commands of these hosts are programs, and their paths begin with a
// slash.
func (l *ledger) OS() module.OS { return module.Linux }

// Owner returns the cluster that owns what is made.
func (l *ledger) Owner() string { return l.owner }

// Instance returns the id of the owner's instance, empty unless a test has set one.
func (l *ledger) Instance() string { return l.instance }

// SetInstance sets the id of the owner's instance.
func (l *ledger) SetInstance(id string) { l.instance = id }

// Own records a mark. Of an existing mark of the same kind and id, which has the earlier state, it
// changes only the checksums.
func (l *ledger) Own(ctx context.Context, m module.Mark) error {
	if l.owner == "" || ctx.Err() != nil {
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.IndexFunc(l.marks, same(m)); i >= 0 {
		l.marks[i] = l.marks[i].Merge(m)
	} else {
		l.marks = append(l.marks, m)
	}
	return nil
}

// Disown removes the mark of that kind and id.
func (l *ledger) Disown(ctx context.Context, m module.Mark) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.marks = slices.DeleteFunc(l.marks, same(m))
	return nil
}

// same returns a function that finds the mark of the same object.
func same(m module.Mark) func(module.Mark) bool {
	return func(old module.Mark) bool { return old.Kind == m.Kind && old.ID == m.ID }
}

// Marks lists the marks in the order they were made.
func (l *ledger) Marks(ctx context.Context) ([]module.Mark, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.marks), ctx.Err()
}

// Report stores a progress report.
func (l *ledger) Report(p event.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.progress = append(l.progress, p)
}

// Reports returns every progress report so far.
func (l *ledger) Reports() []event.Progress {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.progress)
}

// Redact masks the added secrets.
func (l *ledger) Redact(text string) string { return l.redactor.Redact(text) }

// AddSecret adds secrets to mask.
func (l *ledger) AddSecret(values ...secret.Value) {
	for _, v := range values {
		l.redactor.Add(v.Reveal())
	}
}

// ended returns what Run does for a command with an exit code.
func (l *ledger) ended(c module.Command, out module.Output, code int) (module.Output, error) {
	if code == 0 {
		return out, nil
	}
	return out, &module.ExitError{
		Command: l.Redact(shell.POSIX(c.Argv...)), Code: code, Stdout: l.Redact(out.Stdout), Stderr: l.Redact(out.Stderr),
	}
}

// markLines formats the marks for a snapshot.
func (l *ledger) markLines() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var b strings.Builder
	for _, m := range l.marks {
		fmt.Fprintf(&b, "mark %+v\n", m)
	}
	return b.String()
}

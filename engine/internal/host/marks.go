package host

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"kinit/engine/exactjson"
	"kinit/engine/lists"
	"kinit/engine/module"
)

// storedMark is a mark on a host: one file for each mark, in a folder for its kind. Seq orders
// marks by when they were made: ns since 1970, padded so that it sorts as text too. Marks
// of other instances are foreign: they are not read as marks, changed or removed.
type storedMark struct {
	module.Mark
	Seq      string `json:"seq"`
	Instance string `json:"instance,omitempty"`
}

// Own records a mark before the object is made. Of an existing mark, which describes the state
// before, it changes only the checksums.
func (b *bound) Own(ctx context.Context, mark module.Mark) error {
	return b.marking(mark, func(name string) error {
		r, there, err := b.has(ctx, name)
		if err != nil {
			return fmt.Errorf("look for the mark of %s %s: %w", mark.Kind, mark.ID, err)
		}
		merged := r.Merge(mark)
		switch {
		case !there:
			r = storedMark{Mark: mark, Seq: b.sequence(), Instance: b.Instance()}
		case merged == r.Mark:
			return nil
		default:
			r.Mark = merged
		}
		defer b.changes.Add(1)
		if err := b.write(ctx, name, r); err != nil {
			return fmt.Errorf("mark %s %s: %w", mark.Kind, mark.ID, err)
		}
		return nil
	})
}

// marking calls a function with the file of a mark, if there is an owner to have one.
func (b *bound) marking(mark module.Mark, change func(name string) error) error {
	if b.owner == "" {
		return nil
	}
	if mark.Kind == "" || mark.ID == "" {
		return fmt.Errorf("a mark needs a kind and an ID, and has %q and %q: this is a bug in kinit", mark.Kind, mark.ID)
	}
	b.owning.Lock()
	defer b.owning.Unlock()
	return change(path.Join(b.folder(), b.escape(mark.Kind), b.escape(mark.ID)+".json"))
}

// has returns a mark, and whether the instance has it. A mark of another instance is an error.
func (b *bound) has(ctx context.Context, name string) (storedMark, bool, error) {
	r, err := b.read(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return storedMark{}, false, nil
	}
	if err == nil && r.Instance != b.Instance() {
		err = fmt.Errorf("%s is of another instance of %s; look whose the thing is, and remove both by hand if nothing needs them", name, b.owner)
	}
	return r, err == nil, err
}

func (b *bound) write(ctx context.Context, name string, r storedMark) error {
	if _, err := b.files.Stat(ctx, path.Dir(name)); errors.Is(err, fs.ErrNotExist) {
		if err := b.settle(ctx); err != nil {
			return err
		}
	}
	if err := b.mkdir(ctx, path.Dir(name)); err != nil {
		return err
	}
	return b.store(ctx, name, r)
}

// sequence returns a number greater than all before, even when the clock is
// coarse or was set back.
func (b *bound) sequence() string {
	b.last = max(b.last+1, time.Now().UnixNano())
	return fmt.Sprintf("%020d", b.last)
}

// Disown removes a mark. A missing mark is no error.
func (b *bound) Disown(ctx context.Context, mark module.Mark) error {
	return b.marking(mark, func(name string) error {
		defer b.changes.Add(1) // a mark that is missing may have been moved to another owner since it was read
		_, there, err := b.has(ctx, name)
		if err == nil && there {
			err = b.files.Remove(ctx, name)
		}
		if err != nil {
			return fmt.Errorf("remove the mark of %s %s: %w", mark.Kind, mark.ID, err)
		}
		return nil
	})
}

// Marks lists the marks of the owner's instance in the order in which they were made.
func (b *bound) Marks(ctx context.Context) ([]module.Mark, error) {
	if b.owner == "" {
		return nil, nil
	}
	marks, err := b.own(ctx)
	if err != nil {
		return nil, fmt.Errorf("list the marks of %s: %w", b.owner, err)
	}
	slices.SortFunc(marks, func(x, y storedMark) int {
		return cmp.Or(cmp.Compare(x.Seq, y.Seq), cmp.Compare(x.Kind, y.Kind), cmp.Compare(x.ID, y.ID))
	})
	return lists.Map(marks, func(r storedMark) module.Mark { return r.Mark }), nil
}

func (b *bound) own(ctx context.Context) ([]storedMark, error) {
	all, err := b.known(ctx)
	return slices.DeleteFunc(slices.Clone(all), func(r storedMark) bool { return r.Instance != b.Instance() }), err
}

// knownMarks are the marks that an owner had on a machine when the run had changed marks so many times.
type knownMarks struct {
	changes uint64
	marks   []storedMark
}

// known returns the marks of all instances of the owner. Modules read them often, and only the run that has the lock
// changes them. So the marks that were read over a connection are kept until the run changes a mark on any machine, since
// two names or users may lead to the same machine.
func (b *bound) known(ctx context.Context) ([]storedMark, error) {
	if b.settings.Local {
		return b.opened(ctx)
	}
	select {
	case b.reading <- struct{}{}: // who comes meanwhile waits for the same marks
		defer func() { <-b.reading }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	changes := b.changes.Load()
	if known, is := b.marks[b.owner]; is && known.changes == changes {
		return known.marks, nil
	}
	all, ok := b.printed(ctx)
	if !ok {
		var err error
		if all, err = b.opened(ctx); err != nil {
			return nil, err
		}
	}
	b.marks[b.owner] = knownMarks{changes, all}
	return all, nil
}

// printMarks is a script that prints all marks below its first argument. Unfinished files
// have hidden names.
const printMarks = `cd -- "$1" && set -- */*.json && exec cat -- "$@"`

// printed reads all marks with one command, since each file costs several requests and
// modules read the marks often. It reports whether that worked. If not, for example because
// there are no marks yet, reading the files shows why.
func (b *bound) printed(ctx context.Context) ([]storedMark, bool) {
	if b.OS() == module.Windows {
		return nil, false
	}
	out, err := b.Bind("", nil).Run(ctx, module.Command{Argv: []string{"sh", "-c", printMarks, "marks", b.folder()}})
	if err != nil {
		return nil, false
	}
	var all []storedMark
	for decoder := json.NewDecoder(strings.NewReader(out.Stdout)); ; {
		var r storedMark
		switch err := decoder.Decode(&r); {
		case errors.Is(err, io.EOF):
			return all, true
		case err != nil || exactjson.Decode(&r) != nil || r.Kind == "" || r.ID == "":
			return nil, false
		}
		all = append(all, r)
	}
}

// opened reads all marks file by file.
func (b *bound) opened(ctx context.Context) ([]storedMark, error) {
	kinds, err := b.list(ctx, b.folder())
	if err != nil {
		return nil, err
	}
	var marks []storedMark
	for _, kind := range kinds {
		names, err := b.list(ctx, kind)
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			r, err := b.read(ctx, name)
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed in between
			}
			if err != nil {
				return nil, err
			}
			marks = append(marks, r)
		}
	}
	return marks, nil
}

func (b *bound) read(ctx context.Context, name string) (storedMark, error) {
	var r storedMark
	text, err := b.text(ctx, name)
	if err != nil {
		return r, err
	}
	if err := exactjson.Unmarshal(text, &r); err != nil {
		return r, fmt.Errorf("%s is no mark: %w", name, err)
	}
	return r, nil
}

package cron

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// Mark is the kind of the mark of an entry of a crontab; the ID is the user and the
// task's name with a space between.
const Mark = "crontab"

// notInstalled is a shell's exit code for a missing program.
const notInstalled = 127

// table is a user's crontab.
type table struct {
	text    string // "" when there is none
	missing bool   // there is no program crontab
}

// readTable runs crontab, which ends with 1 if the user has no crontab.
func readTable(ctx context.Context, h module.Host, user string) (table, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{"crontab", "-u", user, "-l"}})
	switch {
	case module.Exited(err, 1):
		return table{}, nil
	case module.Exited(err, notInstalled):
		return table{missing: true}, nil
	}
	return table{text: out.Stdout}, err
}

func header(name string) string { return "# kinit: " + name }

// split separates a crontab into the lines of others and the entry below a comment.
func split(text, name string) (others []string, entry string, found bool) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	i := slices.Index(lines, header(name))
	if text == "" || i < 0 {
		return lines, "", false
	}
	others = append(others, lines[:i]...)
	if i+1 < len(lines) {
		entry = lines[i+1]
		others = append(others, lines[i+2:]...)
	}
	return others, entry, true
}

// with returns a crontab with the entry, at the place of an existing one with the name.
func with(text, name, entry string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if i := slices.Index(lines, header(name)); i >= 0 {
		lines = slices.Replace(lines, i, min(i+2, len(lines)), header(name), entry)
		return strings.Join(lines, "\n") + "\n"
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text + header(name) + "\n" + entry + "\n"
}

// without returns a crontab without the entry; "" if nothing else is in it.
func without(text, name string) string {
	others, _, _ := split(text, name)
	if rest := strings.Join(others, "\n"); strings.TrimSpace(rest) != "" {
		return rest + "\n"
	}
	return ""
}

func (t *Task) planTable(ctx context.Context, h module.Host) ([]module.Step, error) {
	now, err := readTable(ctx, h, t.User)
	if err != nil {
		return nil, err
	}
	_, have, found := split(now.text, t.Name)
	text := t.decideTable(have, found)
	if text == "" {
		return nil, nil
	}
	if found {
		if err := ownership.Free(ctx, h, t.mark().ID, "choose another name", Mark); err != nil {
			return nil, fmt.Errorf("the entry %w", err)
		}
	}
	return module.OneStep(h.Redact(text), t.doTable), nil
}

// decideTable describes the change, "" for none.
func (t *Task) decideTable(have string, found bool) string {
	switch {
	case t.Absent() && found:
		return fmt.Sprintf("remove %s from the crontab of %s", t.Name, t.User)
	case t.Absent() || found && have == t.entry():
		return ""
	case found:
		return fmt.Sprintf("change %s in the crontab of %s: %s", t.Name, t.User, t.entry())
	}
	return fmt.Sprintf("add %s to the crontab of %s: %s", t.Name, t.User, t.entry())
}

func (t *Task) doTable(ctx context.Context, h module.Host) error {
	if t.Absent() {
		if err := edit(ctx, h, t.User, func(text string) string { return without(text, t.Name) }); err != nil {
			return err
		}
		return h.Disown(ctx, t.mark())
	}
	if err := h.Own(ctx, t.mark()); err != nil {
		return err
	}
	return edit(ctx, h, t.User, func(text string) string { return with(text, t.Name, t.entry()) })
}

func (t *Task) mark() module.Mark { return module.Mark{Kind: Mark, ID: t.User + " " + t.Name} }

// swapScript installs standard input as the crontab of $1, or removes that when $3
// is empty, if it still has the checksum $2.
//
//go:embed swap.sh
var swapScript string

const (
	changedCode = 75 // swapScript's exit code if the crontab has changed: EX_TEMPFAIL of sysexits.h
	mostTries   = 50 // as other tasks may edit the same crontab
)

func edit(ctx context.Context, h module.Host, user string, change func(text string) string) error {
	for range mostTries {
		now, err := readTable(ctx, h, user)
		switch {
		case err != nil:
			return err
		case now.missing:
			return errors.New("the program crontab is missing: install cron, with a package task, before")
		}
		text := change(now.text)
		if text == now.text {
			return nil
		}
		sum := sha256.Sum256([]byte(now.text))
		_, err = h.Run(ctx, module.Command{
			Argv:  []string{"sh", "-c", swapScript, "sh", user, hex.EncodeToString(sum[:]), keep(text)},
			Stdin: strings.NewReader(text),
		})
		if !module.Exited(err, changedCode) {
			return err
		}
	}
	return fmt.Errorf("the crontab of %s was changed by others %d times while it was edited", user, mostTries)
}

// Undo removes an entry by its mark. Without cron there is nothing to remove.
func Undo(ctx context.Context, h module.Host, mark module.Mark) error {
	user, name, found := strings.Cut(mark.ID, " ")
	if !found {
		return errors.New("the mark does not name a user and an entry")
	}
	now, err := readTable(ctx, h, user)
	if _, _, there := split(now.text, name); err != nil || !there {
		return err
	}
	return edit(ctx, h, user, func(text string) string { return without(text, name) })
}

// keep returns the argument that shows swapScript whether anything is left.
func keep(text string) string {
	if text == "" {
		return ""
	}
	return "keep"
}

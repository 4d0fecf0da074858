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
	"kinit/modules/internal/content"
	"kinit/modules/internal/hostfile"
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

// split separates a crontab into foreign lines and the entry below a comment.
func split(text, name string) (others []string, entry string, found bool) {
	lines := content.Split(text)
	i := slices.Index(lines, header(name))
	if i < 0 {
		return lines, "", false
	}
	if i+1 < len(lines) {
		entry = lines[i+1]
	}
	return slices.Delete(lines, i, min(i+2, len(lines))), entry, true
}

// with returns a crontab with the entry, at the place of an existing one with the name.
func with(text, name, entry string) string {
	lines := content.Split(text)
	if i := slices.Index(lines, header(name)); i >= 0 {
		return content.Join(slices.Replace(lines, i, min(i+2, len(lines)), header(name), entry))
	}
	return content.Join(append(lines, header(name), entry))
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
		return ownership.Undo(ctx, h, t.mark(), Undo)
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

// changedCode is swapScript's exit code if the crontab has changed: EX_TEMPFAIL of sysexits.h.
const changedCode = 75

func edit(ctx context.Context, h module.Host, user string, change func(text string) string) error {
	return hostfile.Retry("the crontab of "+user, func() error {
		now, err := readTable(ctx, h, user)
		switch {
		case err != nil:
			return err
		case now.missing:
			return errors.New("the program crontab is missing: install cron, with a package task, before")
		}
		text, keep := change(now.text), "keep"
		switch text {
		case now.text:
			return nil
		case "":
			keep = ""
		}
		sum := sha256.Sum256([]byte(now.text))
		_, err = h.Run(ctx, module.Command{
			Argv:  []string{"sh", "-c", swapScript, "sh", user, hex.EncodeToString(sum[:]), keep},
			Stdin: strings.NewReader(text),
		})
		if module.Exited(err, changedCode) {
			return hostfile.ErrChanged
		}
		return err
	})
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

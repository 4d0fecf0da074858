package alternatives

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// The kinds of marks.
const (
	choiceMark = "alternative_choice" // the ID is the name; the Prior is the earlier choice, in JSON
	entryMark  = "alternative"        // the ID is the name, a space and the path
)

// former is the choice before kinit changed it.
type former struct {
	Path string `json:"path"`
	Auto bool   `json:"auto"`
}

func (t *Task) entry() string { return t.Name + " " + t.Path }

// install makes the path an alternative.
func (t *Task) install(ctx context.Context, h module.Host) error {
	s, err := read(ctx, h, t.Name)
	if err != nil {
		return err
	}
	if _, there := s.priorities[t.Path]; there {
		return nil
	}
	// A new alternative of a high priority changes the choice, too.
	if err := t.keep(ctx, h, s); err != nil {
		return err
	}
	if err := h.Own(ctx, module.Mark{Kind: entryMark, ID: t.entry()}); err != nil {
		return err
	}
	_, err = update(ctx, h, "--install", cmp.Or(t.Link, s.link), t.Name, t.Path, strconv.Itoa(t.Priority))
	return err
}

// keep records the earlier choice. A name without alternatives has none.
func (t *Task) keep(ctx context.Context, h module.Host, s state) error {
	if len(s.priorities) == 0 {
		return nil
	}
	return ownership.Keep(ctx, h, choiceMark, t.Name, former{Path: s.value, Auto: s.auto})
}

func (t *Task) change(ctx context.Context, h module.Host, args ...string) error {
	s, err := read(ctx, h, t.Name)
	if err != nil {
		return err
	}
	_, ours, err := ownership.Of(ctx, h, t.entry(), entryMark)
	if err != nil {
		return err
	}
	// Without others, the choice goes with our own alternative.
	if !ours || len(s.priorities) > 1 {
		if err := t.keep(ctx, h, s); err != nil {
			return err
		}
	}
	_, err = update(ctx, h, args...)
	return err
}

// planAbsent restores the former state. Without an owner that is unknown: the given path is
// removed from the alternatives.
func (t *Task) planAbsent(ctx context.Context, h module.Host, s state) ([]module.Step, error) {
	text := func(was former) string { return "bring " + t.Name + " back to " + was.Path }
	steps, err := ownership.Restore(ctx, h, t.Name, choiceMark, prior, text, undoChoice)
	if err != nil {
		return nil, err
	}
	if _, there := s.priorities[t.Path]; !there {
		return steps, nil
	}
	_, ours, err := ownership.Of(ctx, h, t.entry(), entryMark)
	if err != nil || h.Owner() != "" && !ours {
		return steps, err // it was an alternative before
	}
	entry := module.Mark{Kind: entryMark, ID: t.entry()}
	return append(steps, ownership.UndoStep("remove the alternative "+t.Path+" of "+t.Name, entry, undoEntry)...), nil
}

func prior(mark module.Mark) (former, error) {
	var was former
	if err := json.Unmarshal([]byte(mark.Prior), &was); err != nil {
		return was, fmt.Errorf("the mark of the alternative %s does not say how it was: %w", mark.ID, err)
	}
	return was, nil
}

// undoChoice restores the earlier choice, if its program is still an alternative.
func undoChoice(ctx context.Context, h module.Host, mark module.Mark) error {
	was, err := prior(mark)
	if err != nil {
		return err
	}
	s, err := read(ctx, h, mark.ID)
	if err != nil {
		return err
	}
	_, there := s.priorities[was.Path]
	switch {
	case was.Auto && !s.auto && len(s.priorities) > 0:
		_, err = update(ctx, h, "--auto", mark.ID)
	case !was.Auto && there && (s.auto || s.value != was.Path):
		_, err = update(ctx, h, "--set", mark.ID, was.Path)
	}
	return err
}

func undoEntry(ctx context.Context, h module.Host, mark module.Mark) error {
	name, path, _ := strings.Cut(mark.ID, " ")
	s, err := read(ctx, h, name)
	if err != nil {
		return err
	}
	if _, there := s.priorities[path]; !there {
		return nil
	}
	_, err = update(ctx, h, "--remove", name, path)
	return err
}

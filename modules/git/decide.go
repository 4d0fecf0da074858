package git

import (
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/ownership"
)

// shown is how many changed files an error names.
const shown = 5

// decide compares without looking at the host.
func (t *Task) decide(h module.Host, s state) ([]module.Step, error) {
	text := t.text(h, s)
	switch {
	case text == "":
		return nil, nil
	case s.exists && !s.checkout && !s.empty:
		return nil, fmt.Errorf("%s has other things in it than a checkout: move them away, or give another folder", t.Dest)
	case s.exists && !s.ours:
		return nil, ownership.Foreign(h, t.Dest, "give the checkout a folder of its own")
	}
	if err := t.loss(s); err != nil {
		return nil, err
	}
	return module.OneStep(text, t.checkout), nil
}

// text returns the step's text, or "" if the checkout is up to date.
func (t *Task) text(h module.Host, s state) string {
	to := short(s.want.commit)
	if s.want.branch != "" {
		to = s.want.branch + " (" + to + ")"
	}
	switch {
	case !s.checkout || s.commit == "":
		return fmt.Sprintf("check out %s of %s into %s", to, h.Redact(t.Repository), t.Dest)
	case s.origin != t.Repository:
		return fmt.Sprintf("check out %s of %s instead of %s into %s", to, h.Redact(t.Repository), h.Redact(s.origin), t.Dest)
	case s.commit != s.want.commit || s.branch != s.want.branch:
		return fmt.Sprintf("bring %s from %s to %s", t.Dest, short(s.commit), to)
	case t.Force && len(s.changed) > 0:
		return fmt.Sprintf("discard %d changed files in %s", len(s.changed), t.Dest)
	case s.stale:
		return "check out the submodules of " + t.Dest
	}
	return ""
}

func short(commit string) string { return commit[:min(len(commit), 12)] }

// loss returns the error of an update that would lose people's changes.
func (t *Task) loss(s state) error {
	const advice = ": save them, or set force = true to discard them"
	switch {
	case t.Force:
		return nil
	case len(s.changed) > 0:
		names := s.changed
		if len(names) > shown {
			names = append(names[:shown:shown], "…")
		}
		return fmt.Errorf("%s has %d changed files that would be lost (%s)%s", t.Dest, len(s.changed), strings.Join(names, ", "), advice)
	case s.commits > 0:
		return fmt.Errorf("%s has %d commits that the repository does not have%s", t.Dest, s.commits, advice)
	}
	return nil
}

func (t *Task) decideAbsent(h module.Host, s state) ([]module.Step, error) {
	switch {
	case !s.exists:
		return nil, nil
	case !s.checkout && !s.empty:
		return nil, fmt.Errorf("%s is no checkout: remove it yourself if nothing needs it", t.Dest)
	case !s.ours:
		return nil, ownership.Foreign(h, t.Dest, ownership.Remove)
	}
	if err := t.loss(s); err != nil {
		return nil, err
	}
	return module.OneStep("remove checkout "+t.Dest, t.remove), nil
}

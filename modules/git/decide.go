package git

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/engine/module"
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
		return nil, fmt.Errorf("%s exists and is not owned by cluster %s: give the checkout a folder of its own", t.Dest, h.Owner())
	}
	if err := t.loss(s); err != nil {
		return nil, err
	}
	return one(text, t.checkout), nil
}

// text is the step, or empty when the checkout is as it should be.
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

// loss is the error of an update that would lose what people did.
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
		return nil, fmt.Errorf("%s exists and is not owned by cluster %s: remove it yourself if nothing needs it", t.Dest, h.Owner())
	}
	if err := t.loss(s); err != nil {
		return nil, err
	}
	return one("remove checkout "+t.Dest, t.remove), nil
}

func one(text string, do func(context.Context, module.Host) error) []module.Step {
	return []module.Step{module.NewStep(text, do)}
}

// missing tells whether git said that there is no such thing.
func missing(err error) bool {
	exit := (*module.ExitError)(nil)
	return errors.As(err, &exit)
}

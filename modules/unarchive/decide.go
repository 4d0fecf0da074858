package unarchive

import (
	"fmt"
	"slices"

	"kinit/engine/module"
	"kinit/modules/internal/fileattr"
	"kinit/modules/internal/ownership"
	"kinit/modules/internal/tree"
)

// decide compares without looking at the host.
func (t *Task) decide(h module.Host, s state) ([]module.Step, error) {
	why, needed := t.reason(s)
	switch {
	case !needed:
		return nil, nil
	case s.exists && !s.ours:
		return nil, ownership.Foreign(h, t.Dest, "give the archive a folder of its own")
	}
	return module.OneStep("unpack "+h.Redact(t.name())+" into "+t.Dest+why, t.unpack), nil
}

// reason returns whether and why the archive must be unpacked, for the end of a step's
// text.
func (t *Task) reason(s state) (why string, needed bool) {
	switch {
	case s.created:
		return "", false
	case t.Creates != "" || !s.unpacked:
		return fileattr.Want{Owner: t.Owner, Group: t.Group}.Words(), true
	case s.manifest.SHA256 != s.sum:
		return " in place of another archive", true
	case s.manifest.Strip != t.Strip:
		return fmt.Sprintf(", stripped of %d folders instead of %d", t.Strip, s.manifest.Strip), true
	case !t.chose(s.manifest):
		return ", with another choice of entries", true
	}
	if damaged := t.damaged(s); len(damaged) > 0 {
		return fmt.Sprintf(" again: %d of its entries are missing or differ, such as %s", len(damaged), damaged[0]), true
	}
	return "", false
}

// damaged lists entries that are missing or differ from their state after unpacking.
func (t *Task) damaged(s state) []string {
	here, shared := byPath(s.here), shared(s.others)
	var all []string
	for _, e := range s.manifest.Unpacked {
		now, there := here[e.Path]
		if (!there || now != e && !slices.Contains(shared[e.Path], now)) && !matches(t.Keep, e.Path) {
			all = append(all, e.Path)
		}
	}
	return all
}

func byPath(entries []tree.Entry) map[string]tree.Entry {
	all := map[string]tree.Entry{}
	for _, e := range entries {
		all[e.Path] = e
	}
	return all
}

func (t *Task) decideAbsent(h module.Host, s state) ([]module.Step, error) {
	switch {
	case !s.exists || len(s.going) == 0:
		return nil, nil
	case !s.ours:
		return nil, ownership.NotOwned(h, module.Mark{ID: t.Dest}, t.Dest, "remove what is in it yourself if nothing needs it")
	}
	if t.name() != "" {
		return module.OneStep("remove what "+h.Redact(t.name())+" left in "+t.Dest, t.remove), nil
	}
	return module.OneStep("remove what was unpacked into "+t.Dest, t.remove), nil
}

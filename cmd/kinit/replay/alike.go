package replay

import (
	"fmt"

	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

// Alike is the problems of a run in groups of those that say the same of the same place on
// different hosts.
type Alike struct {
	Groups []Group // in the order of their first problems
	first  map[string]event.Problem
}

// Group is problems that are alike.
type Group struct {
	First  event.Problem   // the one that happened first in the run, else the first in plan order
	Others []event.Problem // in plan order
}

// Alike groups the problems of the run.
func (r *Run) Alike() *Alike {
	a := &Alike{first: map[string]event.Problem{}}
	if first := r.FirstError(); first != nil {
		if key, ok := likeness(*first); ok {
			a.first[key] = *first
		}
	}
	known := map[string]int{}
	for _, p := range r.Problems {
		key, ok := likeness(p)
		at, there := known[key]
		switch {
		case !ok:
			a.Groups = append(a.Groups, Group{First: p})
			continue
		case !there:
			at = len(a.Groups)
			known[key] = at
			if _, set := a.first[key]; !set {
				a.first[key] = p
			}
			a.Groups = append(a.Groups, Group{First: a.first[key]})
		}
		if _, repeats := a.Repeats(p); repeats {
			a.Groups[at].Others = append(a.Groups[at].Others, p)
		}
	}
	return a
}

// Repeats reports whether another host had the same problem first, and returns that one.
func (a *Alike) Repeats(p event.Problem) (first event.Problem, repeats bool) {
	key, ok := likeness(p)
	if !ok {
		return p, false
	}
	first, known := a.first[key]
	return first, known && (first.Address != p.Address || first.Host != p.Host)
}

func likeness(p event.Problem) (string, bool) {
	if p.Range == nil {
		return "", false
	}
	return view.Likeness(p.Host, p.Severity, p.Summary, p.Detail, fmt.Sprint(*p.Range))
}

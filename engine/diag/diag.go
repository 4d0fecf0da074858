// Package diag defines how problems are reported: the problem, its place, its reason, and
// advice.
package diag

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/event"
	"kinit/engine/lists"
)

// Diagnostic is one problem. Summary is short and fixed ("Unknown module");
// Detail has full sentences: what happened, what was expected, what to do.
type Diagnostic struct {
	Warning bool
	Summary string
	Detail  string
	Subject *hcl.Range // the place in a file, where there is one
	Context *hcl.Range // the range to show around the subject
	Address string     // the task, such as task.file.motd["web1"]
	Host    string     // the host it happened on
	Cause   error      // for errors.Is and errors.As; not shown
}

func (d Diagnostic) Error() string {
	where := ""
	if d.Subject != nil {
		where = d.Subject.String() + ": "
	}
	if d.Detail == "" {
		return where + d.Summary
	}
	return fmt.Sprintf("%s%s: %s", where, d.Summary, d.Detail)
}

func (d Diagnostic) Unwrap() error { return d.Cause }

// List is a list of diagnostics; nil is the empty list.
type List []Diagnostic

// HasErrors reports whether one of them is no warning.
func (l List) HasErrors() bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return !d.Warning })
}

// Err returns the list as an error, or nil when it has no error.
func (l List) Err() error {
	if !l.HasErrors() {
		return nil
	}
	return l
}

// Error joins the diagnostics, one a line.
func (l List) Error() string {
	return strings.Join(lists.Map(l, Diagnostic.Error), "\n")
}

// Is reports whether one of the causes is the target.
func (l List) Is(target error) bool {
	return slices.ContainsFunc(l, func(d Diagnostic) bool { return errors.Is(d.Cause, target) })
}

// Errorf makes a list of one error at a place.
func Errorf(subject *hcl.Range, summary, format string, args ...any) List {
	return List{{Summary: summary, Detail: fmt.Sprintf(format, args...), Subject: subject}}
}

// Collector collects problems.
type Collector struct{ Diags List }

// Tell adds problems.
func (c *Collector) Tell(diags List) { c.Diags = append(c.Diags, diags...) }

// Errorf adds an error at a place.
func (c *Collector) Errorf(at hcl.Range, summary, format string, args ...any) {
	c.Tell(Errorf(&at, summary, format, args...))
}

// Sort orders problems for display: errors before warnings, then by file and place.
// Problems without a place come first; the order is otherwise kept.
func (l List) Sort() {
	slices.SortStableFunc(l, func(a, b Diagnostic) int {
		if a.Warning != b.Warning {
			if b.Warning {
				return -1
			}
			return 1
		}
		x, y := a.start(), b.start()
		return cmp.Or(cmp.Compare(x.Filename, y.Filename), cmp.Compare(x.Start.Byte, y.Start.Byte))
	})
}

// Sorted returns the problems as Sort orders them.
func (l List) Sorted() List {
	all := slices.Clone(l)
	all.Sort()
	return all
}

// Distinct removes duplicates: diagnostics with the same place, summary and detail.
func (l List) Distinct() List {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(l), func(d Diagnostic) bool {
		text := d.Error()
		again := seen[text]
		seen[text] = true
		return again
	})
}

func (d Diagnostic) start() hcl.Range {
	if d.Subject == nil {
		return hcl.Range{}
	}
	return *d.Subject
}

// Warnf makes a list of one warning at a place.
func Warnf(subject *hcl.Range, summary, format string, args ...any) List {
	list := Errorf(subject, summary, format, args...)
	list[0].Warning = true
	return list
}

// Warnf adds a warning at a place.
func (c *Collector) Warnf(at hcl.Range, summary, format string, args ...any) {
	c.Tell(Warnf(&at, summary, format, args...))
}

// Problem is the diagnostic as events and logs have it.
func (d Diagnostic) Problem() event.Problem {
	p := event.Problem{Severity: "error", Summary: d.Summary, Detail: d.Detail, Address: d.Address, Host: d.Host}
	if d.Warning {
		p.Severity = "warning"
	}
	if d.Subject != nil {
		r := Place(*d.Subject)
		p.Range = &r
	}
	return p
}

// Place is a range as events and logs have it.
func Place(r hcl.Range) event.Range {
	return event.Range{File: r.Filename, Start: position(r.Start), End: position(r.End)}
}

func position(p hcl.Pos) event.Position { return event.Position{Line: p.Line, Column: p.Column} }

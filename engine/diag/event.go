package diag

import (
	"github.com/hashicorp/hcl/v2"

	"kinit/engine/event"
)

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

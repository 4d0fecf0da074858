package run

import (
	"errors"

	"kinit/engine/diag"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
	"kinit/engine/transport"
)

// explain makes diagnostics of a task's error, with the place of its block, the host, and
// advice if there is some.
func (r *runner) explain(t *plan.Task, err error) diag.List {
	var list diag.List
	if errors.As(err, &list) && !r.hidden(t).All {
		return r.place(t, list)
	}
	subject := t.Blame(err.Error())
	return diag.List{{
		Summary: Summary(err),
		Detail:  r.errorText(t, err),
		Subject: &subject,
		Address: t.Address,
		Host:    t.Host,
		Cause:   r.cause(t, err),
	}}
}

// place adds the task and host to diagnostics that already have a place.
func (r *runner) place(t *plan.Task, list diag.List) diag.List {
	out := make(diag.List, len(list))
	for i, d := range list {
		d.Detail = r.redact(d.Detail)
		d.Address, d.Host = t.Address, t.Host
		if d.Subject == nil {
			subject := t.Range
			d.Subject = &subject
		}
		out[i] = d
	}
	return out
}

// Summary returns the fixed first line for a kind of failure.
func Summary(err error) string {
	var exit *module.ExitError
	var system *module.SystemError
	switch {
	case errors.As(err, &system):
		return "Wrong operating system"
	case errors.Is(err, transport.ErrHostKey):
		return "Host key not verified"
	case errors.Is(err, transport.ErrAuth):
		return "Authentication failed"
	case errors.Is(err, transport.ErrUnreachable):
		return "Host unreachable"
	case errors.As(err, &exit):
		return "Command failed"
	}
	return "Task failed"
}

// cause returns the error behind a diagnostic, which only a more detailed view shows. It
// hides that of a sensitive task.
func (r *runner) cause(t *plan.Task, err error) error {
	if !r.hidden(t).All || isConnection(err) {
		return err
	}
	return errors.New(r.errorText(t, err))
}

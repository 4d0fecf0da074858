package run

import (
	"errors"
	"fmt"

	"kinit/engine/diag"
	"kinit/engine/internal/plan"
	"kinit/engine/module"
	"kinit/engine/transport"
)

// Summary returns the fixed first line for a kind of failure.
func Summary(err error) string {
	var exit *module.ExitError
	var system *module.SystemError
	switch {
	case errors.As(err, &system):
		return "Wrong operating system"
	case errors.Is(err, transport.ErrHostKey):
		return "Host key not verified"
	case errors.Is(err, transport.ErrBecome):
		return "Cannot become the user"
	case errors.Is(err, transport.ErrAuth):
		return "Authentication failed"
	case errors.Is(err, transport.ErrUnreachable):
		return "Host unreachable"
	case errors.As(err, &exit):
		return "Command failed"
	}
	return "Task failed"
}

// isConnection reports whether an error means that a host cannot be used, by the login or by the user that it becomes.
func isConnection(err error) bool {
	return errors.Is(err, transport.ErrBecome) || unreachable(err)
}

// unreachable reports whether an error means that the login cannot use a host.
func unreachable(err error) bool {
	return errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrAuth) || errors.Is(err, transport.ErrHostKey)
}

// explain makes diagnostics of a task's error, with the place of its block, the host, and
// advice if there is some.
func (r *reporter) explain(t *plan.Task, err error) diag.List {
	var list diag.List
	if errors.As(err, &list) && !r.hidden(t).All {
		return r.place(t, list)
	}
	return diag.List{{
		Summary: Summary(err),
		Detail:  r.errorText(t, err) + r.advice(t, err),
		Subject: new(t.Blame(err.Error())),
		Address: t.Address,
		Host:    t.Host,
		Cause:   r.cause(t, err),
	}}
}

// advice returns the advice of a task's block, as a paragraph of its own. A host that
// cannot be used is another matter.
func (r *reporter) advice(t *plan.Task, err error) string {
	if t.Advice == "" || isConnection(err) {
		return ""
	}
	return "\n\n" + r.redact(t.Advice)
}

// place adds the task and host to diagnostics that already have a place.
func (r *reporter) place(t *plan.Task, list diag.List) diag.List {
	out := make(diag.List, len(list))
	for i, d := range list {
		d.Detail = r.redact(d.Detail)
		d.Address, d.Host = t.Address, t.Host
		if d.Subject == nil {
			d.Subject = &t.Range
		}
		out[i] = d
	}
	return out
}

// cause returns the error behind a diagnostic, which only a more detailed view shows. It
// hides that of a sensitive task.
func (r *reporter) cause(t *plan.Task, err error) error {
	if !r.hidden(t).All || isConnection(err) {
		return err
	}
	return errors.New(r.errorText(t, err))
}

// errorText returns an error for display. For a sensitive task it contains only the exit
// code, or that its host cannot be used.
func (r *reporter) errorText(t *plan.Task, err error) string {
	if !r.hidden(t).All || isConnection(err) {
		return r.redact(err.Error())
	}
	why := "a sensitive value is among its arguments"
	if t.Sensitive {
		why = "the task is sensitive"
	}
	var exit *module.ExitError
	if errors.As(err, &exit) {
		return fmt.Sprintf("command ended with code %d; %s, so nothing else is shown", exit.Code, why)
	}
	return why + ", so its error is not shown"
}

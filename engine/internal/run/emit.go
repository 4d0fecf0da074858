package run

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/plan"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
)

// The most, in bytes, that an event contains of one text. The limits bound the memory of a
// run.
const (
	longestValue = 4 << 10
	longestHead  = 8 << 10  // the beginning of an output
	longestTail  = 24 << 10 // the end of an output
)

// emitArguments emits the arguments of a task on its first attempt, and adds the secrets
// among them to the redactor. It emits nothing for a sensitive task.
func (r *reporter) emitArguments(t *plan.Task, task module.Task) {
	if t.Sensitive {
		return
	}
	if _, before := r.reported.LoadOrStore(t.Address, true); before {
		return
	}
	values, secrets := decode.Arguments(task, r.hidden(t))
	r.redactor.Add(secrets...)
	r.emitOf(t, event.Event{Kind: event.TaskArguments, Values: r.kept(values)})
}

// emitOutputs emits the values of a task, unless it is sensitive.
func (r *reporter) emitOutputs(t *plan.Task, values map[string]cty.Value) {
	if t.Sensitive {
		return
	}
	var reported []event.Value
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if text := sensitive.Text(values[name]); text != "" {
			reported = append(reported, event.Value{Name: name, Text: text})
		}
	}
	if len(reported) > 0 {
		r.emitOf(t, event.Event{Kind: event.TaskOutputs, Values: r.kept(reported)})
	}
}

// kept masks secrets in values, and then shortens long ones: a cut before masking could
// leave half a secret.
func (r *reporter) kept(values []event.Value) []event.Value {
	for i, v := range values {
		text := r.redact(v.Text)
		if len(text) > longestValue {
			values[i].Cut = len(text) - longestValue
			text = strings.ToValidUTF8(text[:longestValue], "")
		}
		values[i].Text = text
	}
	return values
}

// emitProblems emits the diagnostics of a failed task, with the failed command.
func (r *reporter) emitProblems(t *plan.Task, diags diag.List, err error) {
	var command *event.Command
	if exit := (*module.ExitError)(nil); errors.As(err, &exit) && !r.hidden(t).All {
		command = &event.Command{Line: exit.Command, Code: exit.Code, Stdout: r.ends(exit.Stdout), Stderr: r.ends(exit.Stderr)}
	}
	for _, d := range diags {
		p := d.Problem()
		p.Command = command
		r.emitOf(t, event.Event{Kind: event.TaskProblem, Problem: &p})
	}
}

// ends masks secrets in output and keeps its beginning and its end.
func (r *reporter) ends(text string) string {
	text = r.redact(text)
	left := len(text) - longestHead - longestTail
	if left <= 0 {
		return text
	}
	head, tail := text[:longestHead], text[longestHead+left:]
	return fmt.Sprintf("%s\n… %d bytes left out …\n%s", strings.ToValidUTF8(head, ""), left, strings.ToValidUTF8(tail, ""))
}

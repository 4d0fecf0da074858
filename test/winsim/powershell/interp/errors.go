package interp

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Throw is an error on its way up to a catch block.
type Throw struct {
	Record *value.ErrorRecord
	// Statement says that it ends the statement only, unless $ErrorActionPreference
	// or a try block says otherwise.
	Statement bool
	// method says that .NET code threw it, and Record has what wraps it.
	method bool
}

// Error is the message with its place.
func (t *Throw) Error() string {
	if t.Record.Place.Line == 0 {
		return t.Record.Message()
	}
	return t.Record.Message() + " (line " + itoa(t.Record.Place.Line) + ")"
}

// flow is return, break, continue or exit on its way up.
type flow struct {
	word  string
	label string
	code  int32
}

func (f *flow) Error() string { return f.word + " outside of what it belongs to" }

func asFlow(err error) (*flow, bool) { return errors.AsType[*flow](err) }

func asThrow(err error) (*Throw, bool) { return errors.AsType[*Throw](err) }

func asException(err error) (*value.Exception, bool) { return errors.AsType[*value.Exception](err) }

// placeOf is an extent as the place of an error.
func placeOf(at ast.Extent) value.Place {
	if at.Source == nil {
		return value.Place{}
	}
	return value.Place{Script: at.Source.Name, Line: at.Line(), Column: at.Column(), LineText: at.LineText(), Width: max(1, at.Width())}
}

// locate gives an error that has no place yet the place of what was evaluated, and
// turns an exception into an error of a script.
func locate(err error, at ast.Extent) error {
	if e, ok := asException(err); ok {
		return &Throw{Record: recordOf(e, at), Statement: true}
	}
	if t, ok := asThrow(err); ok {
		if t.Record.Place.Line == 0 {
			t.Record.Place = placeOf(at)
		}
		return err
	}
	return unknown.At(err, at.Line(), at.Column())
}

// recordOf is an exception of an operator or a conversion as an error record.
func recordOf(e *value.Exception, at ast.Extent) *value.ErrorRecord {
	id := value.ShortTypeName(e.Type)
	for _, p := range e.Extra {
		if p.Name == "ErrorId" {
			id = value.String(p.Value)
		}
	}
	category := "NotSpecified"
	switch {
	case strings.HasPrefix(id, "InvalidCast"), strings.HasPrefix(id, "ConvertTo"):
		category = "InvalidArgument"
	case e.Type == "System.Management.Automation.RuntimeException":
		category = "InvalidOperation"
	case e.Type == "System.IndexOutOfRangeException", e.Type == "System.InvalidOperationException":
		category = "OperationStopped"
	}
	switch {
	case e.Type == invalidCast: // the language wraps what its conversions throw
		wrapped := value.NewException("System.Management.Automation.RuntimeException", e.Message)
		wrapped.Inner = e
		e = wrapped
	case e.Type == "System.IndexOutOfRangeException", e.Type == "System.InvalidOperationException":
		id = e.Type
	}
	return &value.ErrorRecord{Exception: e, ID: id, Category: category, Place: placeOf(at)}
}

const invalidCast = "System.Management.Automation.PSInvalidCastException"

// methodError wraps what a method threw, as PowerShell does.
func methodError(err error, name string, count int, at ast.Extent) error {
	var e *value.Exception
	if !errors.As(err, &e) {
		return locate(err, at)
	}
	if e.Type == "System.Management.Automation.MethodException" || e.Type == "System.Management.Automation.RuntimeException" {
		return locate(err, at)
	}
	wrapped := value.NewException("System.Management.Automation.MethodInvocationException",
		`Exception calling "`+name+`" with "`+itoa(count)+`" argument(s): "`+e.Message+`"`)
	wrapped.Inner = e
	record := &value.ErrorRecord{Exception: wrapped, ID: value.ShortTypeName(e.Type), Category: "NotSpecified", Place: placeOf(at)}
	return &Throw{Record: record, Statement: true, method: true}
}

// runtimeError is an error of the language itself.
func runtimeError(id, category, message string, target any) *Throw {
	e := value.NewException("System.Management.Automation.RuntimeException", message)
	return &Throw{Record: &value.ErrorRecord{Exception: e, ID: id, Category: category, Target: target}, Statement: true}
}

// errorPreference is $ErrorActionPreference in lower case.
func (s *Session) errorPreference() string {
	v, _ := s.scope.get("ErrorActionPreference")
	return strings.ToLower(value.String(v))
}

// writeError handles an error that does not end a command, as an action says.
func (s *Session) writeError(ctx context.Context, r *value.ErrorRecord, action string) error {
	s.okay = false
	switch action {
	case "stop":
		return &Throw{Record: r}
	case "continue", "":
		s.remember(r)
		return s.showError(ctx, r)
	case "silentlycontinue":
		s.remember(r)
		return nil
	case "ignore":
		return nil
	}
	return unknown.New("the error action %s", action)
}

// remember puts an error at the front of $Error.
func (s *Session) remember(r *value.ErrorRecord) {
	s.errors.Items = append([]any{r}, s.errors.Items...)
}

// showError sends an error to the error stream: to where it was redirected, or to the
// standard error.
func (s *Session) showError(ctx context.Context, r *value.ErrorRecord) error {
	if sink, ok := s.streams['2']; ok {
		return sink(ctx, r)
	}
	return s.errorText(ErrorText(r))
}

// handle decides what an error that ended a statement does: nil lets the script go on
// with the next.
func (s *Session) handle(ctx context.Context, err error) error {
	t, ok := asThrow(err)
	if !ok || !t.Statement || s.tries > 0 {
		return err
	}
	s.okay = false
	switch action := s.errorPreference(); action {
	case "stop":
		return &Throw{Record: t.Record, method: t.method}
	case "continue":
		s.remember(t.Record)
		return s.showError(ctx, t.Record)
	case "silentlycontinue":
		s.remember(t.Record)
		return nil
	case "ignore":
		return nil
	default:
		return unknown.New("the error action %s", action)
	}
}

// ErrorText is an error as the host shows it.
func ErrorText(r *value.ErrorRecord) string {
	var b strings.Builder
	if r.Place.Command != "" {
		b.WriteString(r.Place.Command + " : ")
	}
	b.WriteString(r.Message() + "\r\n")
	if position := PositionMessage(r.Place); position != "" {
		b.WriteString(position + "\r\n")
	}
	b.WriteString("    + CategoryInfo          : " + CategoryText(r) + "\r\n")
	b.WriteString("    + FullyQualifiedErrorId : " + r.ID + "\r\n \r\n")
	return b.String()
}

// CategoryText is the text of an error's CategoryInfo.
func CategoryText(r *value.ErrorRecord) string {
	target, targetType := "", ""
	if !value.IsNull(r.Target) {
		target, targetType = value.String(r.Target), value.ShortTypeName(value.TypeName(r.Target))
	}
	category := cmp.Or(r.Category, "NotSpecified")
	return category + ": (" + target + ":" + targetType + ") [" + r.Activity + "], " + value.ShortTypeName(r.Exception.Type)
}

// PositionMessage is the place of an error with its line underlined.
func PositionMessage(p value.Place) string {
	if p.Line == 0 {
		return ""
	}
	where := "line:" + itoa(p.Line)
	if p.Script != "" {
		where = p.Script + ":" + itoa(p.Line)
	}
	line := []rune(p.LineText)
	start := min(max(p.Column-1, 0), len(line))
	width := max(1, min(p.Width, len(line)-start))
	return "At " + where + " char:" + itoa(p.Column) + "\r\n+ " + string(line) + "\r\n+ " +
		strings.Repeat(" ", start) + strings.Repeat("~", width)
}

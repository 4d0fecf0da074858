// Package cmdlet is what the cmdlets of the simulated machine have in common: how
// errors are reported, and values that several of them return.
//
// The cmdlets themselves are in packages named as the modules of Windows PowerShell 5.1
// that have them. A cmdlet has the parameters that are modelled; the interpreter ends
// the run at any other.
package cmdlet

import (
	"context"
	"errors"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// Failure is an error as PowerShell shows it.
type Failure struct {
	Type     string // of the exception, full
	Message  string
	ID       string // FullyQualifiedErrorId
	Category string // such as ObjectNotFound
	Target   any
	HResult  uint32 // 0 for that of the type
	Inner    *value.Exception
	Extra    []*value.Property
}

// Record is the failure as an error record.
func (f Failure) Record() *value.ErrorRecord {
	e := value.NewException(f.Type, f.Message)
	if f.HResult != 0 {
		e.HResult = int32(f.HResult)
	}
	e.Inner, e.Extra = f.Inner, f.Extra
	return interp.NewError(e, f.ID, f.Category, f.Target)
}

// Report reports a failure that does not end the cmdlet. An error that it returns must
// be returned at once.
func Report(ctx context.Context, c *interp.Call, f Failure) error {
	return c.WriteError(ctx, f.Record())
}

// Stop is the error of a failure that ends the cmdlet.
func Stop(c *interp.Call, f Failure) error { return c.Terminate(f.Record()) }

// Win32 is a system error as a Win32Exception.
func Win32(m *machine.Machine, code winerr.Code) *value.Exception {
	e := value.NewException("System.ComponentModel.Win32Exception", m.Text(code))
	e.HResult = -2147467259 // E_FAIL, as the class has it whatever the code
	e.Extra = []*value.Property{value.P("NativeErrorCode", int32(code))}
	return e
}

// Code is the code of a system error, 0 for another error.
func Code(err error) winerr.Code {
	if e, ok := errors.AsType[*winerr.Error](err); ok {
		return e.Code
	}
	return 0
}

// SID is a security identifier.
func SID(m *machine.Machine, sid string) *value.Object {
	const name = "System.Security.Principal.SecurityIdentifier"
	o := value.NewObject(name, value.P("Value", sid))
	o.Supertypes = []string{"System.Security.Principal.IdentityReference"}
	o.Text = func() string { return sid }
	o.Data = sid
	return o.Method("Translate", func(_ context.Context, args []any) (any, error) {
		if t, ok := value.Base(args[0]).(value.Type); ok && t.Name == name {
			return SID(m, sid), nil
		}
		return Account(m, m.Accounts.Name(sid, m.ComputerName())), nil
	})
}

// Account is the name of an account.
func Account(m *machine.Machine, full string) *value.Object {
	const name = "System.Security.Principal.NTAccount"
	o := value.NewObject(name, value.P("Value", full))
	o.Supertypes = []string{"System.Security.Principal.IdentityReference"}
	o.Text = func() string { return full }
	return o.Method("Translate", func(context.Context, []any) (any, error) {
		sid := m.Accounts.SID(full)
		if sid == "" {
			return nil, value.NewException("System.Security.Principal.IdentityNotMappedException",
				"Some or all identity references could not be translated.")
		}
		return SID(m, sid), nil
	})
}

// User is the SID of the user that a script runs as.
func User(m *machine.Machine, s *interp.Session) string {
	if p, ok := m.Process(s.Job().PID); ok {
		return p.User
	}
	return account.SystemSID
}

// Time is a moment in the machine's zone.
func Time(t time.Time) value.DateTime { return value.DateTime{T: t, Kind: value.LocalTime} }

// TimeOrNull is a moment, or $null for none.
func TimeOrNull(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return Time(t)
}

// TextOrNull is a text, or $null for none.
func TextOrNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// Switch is a parameter without a value.
func Switch(name string) interp.Parameter { return interp.Parameter{Name: name, Type: "switch"} }

// Text is a parameter that is a text.
func Text(name string) interp.Parameter { return interp.Parameter{Name: name, Type: "string"} }

// Texts is a parameter that is a list of texts.
func Texts(name string) interp.Parameter { return interp.Parameter{Name: name, Type: "string[]"} }

// Whole is a parameter that is a whole number.
func Whole(name string) interp.Parameter { return interp.Parameter{Name: name, Type: "int"} }

// Truth is a parameter that is true or false.
func Truth(name string) interp.Parameter { return interp.Parameter{Name: name, Type: "bool"} }

// Any is a parameter of any type.
func Any(name string) interp.Parameter { return interp.Parameter{Name: name} }

// At gives a parameter a position, from 1.
func At(position int, p interp.Parameter) interp.Parameter {
	p.Position = position
	return p
}

// Needed makes a parameter mandatory.
func Needed(p interp.Parameter) interp.Parameter {
	p.Mandatory = true
	return p
}

// Piped makes a parameter take objects of the pipeline.
func Piped(p interp.Parameter) interp.Parameter {
	p.Pipeline = true
	return p
}

// Matches reports whether a name fits one of several patterns; all names fit none.
func Matches(name string, patterns []string) bool {
	for _, pattern := range patterns {
		if value.NewWildcard(pattern, false).Match(name) {
			return true
		}
	}
	return len(patterns) == 0
}

// Items are the values of a parameter that takes one or several of them.
func Items(v any) []any {
	if value.IsNull(v) {
		return nil
	}
	return value.Each(v)
}

// Class is the class of a cmdlet such as Get-Item, which is part of errors' ids:
// GetItemCommand.
func Class(c *interp.Call) string { return strings.ReplaceAll(c.Cmdlet.Name, "-", "") + "Command" }

// Identity is what names the thing that a parameter has: the data of an object, or a
// text.
func Identity(v any) string {
	if o, ok := v.(*value.Object); ok {
		if id, ok := o.Data.(string); ok {
			return id
		}
	}
	return value.String(v)
}

// Identities are the identities of the values of a parameter.
func Identities(v any) []string {
	var all []string
	for _, item := range Items(v) {
		all = append(all, Identity(item))
	}
	return all
}

// WriteEach writes an object for each of several items.
func WriteEach[T any](ctx context.Context, c *interp.Call, items []T, object func(T) *value.Object) error {
	for _, item := range items {
		if err := c.WriteObject(ctx, object(item)); err != nil {
			return err
		}
	}
	return nil
}

// NotFound is the failure of a query over CIM that names what is not there.
func NotFound(c *interp.Call, class, property, text string) Failure {
	return Failure{
		Type:    "Microsoft.PowerShell.Cmdletization.Cim.CimJobException",
		Message: "No " + class + " objects found with property '" + property + "' equal to '" + text + "'.  Verify the value of the property and retry.",
		ID:      "CmdletizationQuery_NotFound_" + property + "," + c.Cmdlet.Name, Category: "ObjectNotFound", Target: text,
	}
}

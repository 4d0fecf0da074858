// Package powershell runs the scripts of modules on Windows hosts.
//
// A script is an embedded file of the module: no value is ever inserted into its
// text. Its arguments precede its input, which no list of processes and no log of
// scripts shows, and are the variable $Arguments. The one object that it emits
// is returned as JSON. An exception is returned as an *Error.
package powershell

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"kinit/engine/bounds"
	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/engine/transport"
)

//go:embed prologue.ps1
var prologue string

//go:embed epilogue.ps1
var epilogue string

// name is the name of modules' scripts in messages, because their text is of no use to users.
const name = "a script of kinit"

// mark begins the line with a script's answer.
const mark = "kinit:"

// Run runs a script. args is encoded as JSON and is an object; the script's value is decoded
// into result, which is nil for a script without one.
func Run(ctx context.Context, h module.Host, script string, args, result any) error {
	return Send(ctx, h, script, args, nil, result)
}

// Value runs a script and returns its value.
func Value[T any](ctx context.Context, h module.Host, script string, args any) (T, error) {
	var value T
	err := Run(ctx, h, script, args, &value)
	return value, err
}

// Read is Value for a script that changes nothing: it runs a second time if the
// connection was lost.
func Read[T any](ctx context.Context, h module.Host, script string, args any) (T, error) {
	value, err := Value[T](ctx, h, script, args)
	lost := errors.Is(err, transport.ErrUnreachable) || errors.Is(err, transport.ErrIncomplete)
	if lost && ctx.Err() == nil {
		return Value[T](ctx, h, script, args)
	}
	return value, err
}

// Send is Run for a script that reads more input than its arguments, from the stream
// $KinitInput.
func Send(ctx context.Context, h module.Host, script string, args any, input io.Reader, result any) error {
	if h.OS() != module.Windows {
		return fmt.Errorf("%s runs %s and not Windows", h.Name(), h.OS().Title())
	}
	header, err := encode(args)
	if err != nil {
		return err
	}
	stdin := io.Reader(bytes.NewReader(header))
	if input != nil {
		stdin = io.MultiReader(stdin, input)
	}
	out, err := h.Run(ctx, module.Command{PowerShell: whole(script), Name: name, Stdin: stdin})
	return read(h, out.Stdout, err, result)
}

// WithArguments adds arguments to a user's script: it returns the text with code that reads
// them, and the beginning of its input.
func WithArguments(script string, args any) (text, input string, err error) {
	header, err := encode(args)
	return prologue + shell.PowerShellBlock(script), string(header), err
}

// Step is a step that runs a script without a value.
func Step(text, script string, args any) module.Step {
	return module.NewStep(text, func(ctx context.Context, h module.Host) error {
		return Run(ctx, h, script, args, nil)
	})
}

// OneStep returns a plan of one step, made by Step; none for an empty text.
func OneStep(text, script string, args any) []module.Step {
	if text == "" {
		return nil
	}
	return []module.Step{Step(text, script, args)}
}

// Differences names what of an object differs from what is wanted.
type Differences []string

// Add adds a name, if that differs, and returns whether it does.
func (d *Differences) Add(differs bool, what string) bool {
	if differs {
		*d = append(*d, what)
	}
	return differs
}

// Text is the text of the step that changes the object; empty if nothing differs.
func (d Differences) Text(object string) string {
	if len(d) == 0 {
		return ""
	}
	return "change " + object + ": " + strings.Join(d, ", ")
}

// whole returns the complete text: the script between the common prologue and epilogue.
func whole(script string) string {
	return prologue + "$KinitScript = {\n" + strings.TrimRight(script, "\n") + "\n}\n" + epilogue
}

// encode converts the arguments to the form that the prologue reads.
func encode(args any) ([]byte, error) {
	if args == nil {
		args = struct{}{}
	}
	text, err := json.Marshal(args)
	if err != nil {
		return nil, fmt.Errorf("encode the arguments of a script: %w", err)
	}
	encoded := base64.StdEncoding.EncodeToString(text)
	return fmt.Appendf(nil, "%08d%s", len(encoded), encoded), nil
}

// answer is the line that the epilogue writes.
type answer struct {
	Value   json.RawMessage `json:"value"`
	Failure *Error          `json:"failure"`
}

// read extracts a script's value, or its exception, from its output. err is how
// the command ended. A received answer counts, even if other output is missing.
func read(h module.Host, stdout string, err error, result any) error {
	if err != nil && !module.Exited(err) && !errors.Is(err, transport.ErrIncomplete) {
		return err
	}
	line, found := answerLine(stdout)
	if !found && err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("a script ended without an answer and printed %q", h.Redact(module.Tail(stdout, 5)))
	}
	var a answer
	if problem := bounds.DecodeJSON([]byte(line), &a); problem != nil {
		return errors.Join(err, fmt.Errorf("decode the answer of a script: %w: %s", problem, h.Redact(line)))
	}
	if a.Failure != nil {
		return a.Failure.redacted(h)
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(a.Value, result); err != nil {
		return fmt.Errorf("decode the value of a script: %w: %s", err, h.Redact(line))
	}
	return nil
}

// answerLine finds the answer, which is the last line with the mark.
func answerLine(stdout string) (string, bool) {
	at := strings.LastIndex("\n"+stdout, "\n"+mark)
	if at < 0 {
		return "", false
	}
	line, _, _ := strings.Cut(stdout[at+len(mark):], "\n")
	return strings.TrimSuffix(line, "\r"), true
}

// Error is an error that a script threw.
type Error struct {
	Message string `json:"message"` // in the language of the host
	ID      string `json:"id"`      // PowerShell's FullyQualifiedErrorId, the same in every language
	Code    int32  `json:"code"`    // the HRESULT
	At      string `json:"at"`      // the line of the script, which contains no values
}

// clr is the upper half of the HRESULTs of the common language runtime, which
// distinguish kinds of exceptions but not causes.
const clr = 0x8013

// Error begins with PowerShell's message.
func (e *Error) Error() string {
	details := []string{}
	// A text that a script throws is also its id.
	id, _, _ := strings.Cut(e.ID, ",")
	if id = strings.TrimSpace(id); id != "" && !strings.Contains(e.Message, id) {
		details = append(details, id)
	}
	if e.Code != 0 && uint32(e.Code)>>16 != clr {
		details = append(details, fmt.Sprintf("HRESULT 0x%08X", uint32(e.Code)))
	}
	if e.At != "" {
		details = append(details, "at: "+e.At)
	}
	return strings.TrimSpace(e.Message + "\n" + strings.Join(details, ", "))
}

// redacted returns the error without secrets.
func (e *Error) redacted(h module.Host) error {
	return &Error{Message: h.Redact(strings.TrimSpace(e.Message)), ID: h.Redact(e.ID), Code: e.Code, At: h.Redact(e.At)}
}

// Code is the HRESULT of an error that a script threw, 0 for any other error.
func Code(err error) uint32 {
	thrown, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return uint32(thrown.Code)
}

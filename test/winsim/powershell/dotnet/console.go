package dotnet

import (
	"cmp"
	"context"
	"io"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

func consoleTypes() []interp.Type {
	return []interp.Type{{
		Name: "System.Console", Aliases: []string{"console"},
		Statics: statics{
			"OpenStandardInput": static("OpenStandardInput", 0, 0, func(c call) (any, error) {
				return streamObject("System.IO.__ConsoleStream", &stream{read: cmp.Or[io.Reader](c.s.Stdin(), strings.NewReader(""))}), nil
			}),
			"OpenStandardOutput": static("OpenStandardOutput", 0, 0, func(c call) (any, error) {
				return streamObject("System.IO.__ConsoleStream", &stream{write: cmp.Or(c.s.Stdout(), io.Discard)}), nil
			}),
			"Write":     static("Write", 1, 1, func(c call) (any, error) { return void(c.s.WriteHost(consoleText(c.args))) }),
			"WriteLine": static("WriteLine", 0, 1, func(c call) (any, error) { return void(c.s.WriteHost(consoleText(c.args) + "\r\n")) }),
		},
		Values: statics{
			"Out":            static("Out", 0, 0, func(c call) (any, error) { return console(c.s, cmp.Or(c.s.Stdout(), io.Discard)), nil }),
			"Error":          static("Error", 0, 0, func(c call) (any, error) { return console(c.s, cmp.Or(c.s.Stderr(), io.Discard)), nil }),
			"OutputEncoding": static("OutputEncoding", 0, 0, func(c call) (any, error) { return kept(c.s, outputKey), nil }),
		},
		Setters: map[string]func(context.Context, *interp.Session, any) error{
			"OutputEncoding": setOutput,
		},
	}}
}

// Keys of what a session keeps of the console.
const (
	outputKey = "console output encoding"
	inputKey  = "console input encoding"
)

// kept is the encoding that a session's console has; the code page of the machine at
// first.
func kept(s *interp.Session, key string) *value.Object {
	if o, ok := s.Kept(key).(*value.Object); ok {
		return o
	}
	return encodingObject("System.Text.SBCSCodePageEncoding", &codec{name: "IBM437", page: 437, text: charmap.CodePage437})
}

func setOutput(_ context.Context, s *interp.Session, v any) error {
	own, err := codecOf(v)
	if err != nil {
		return err
	}
	s.Keep(outputKey, v)
	switch {
	case own.ascii:
		s.SetConsoleEncoding(charmap.CodePage437)
	default:
		s.SetConsoleEncoding(own.text)
	}
	return nil
}

// consoleText is what Write writes of its argument: characters of an array, or text.
func consoleText(args []any) string {
	if len(args) == 0 {
		return ""
	}
	if a, ok := value.Base(args[0]).(*value.Array); ok && a.Elem == "System.Char" {
		return charsOf(args)
	}
	return value.Local(args[0])
}

// console is [Console]::Out or [Console]::Error.
func console(s *interp.Session, w io.Writer) *value.Object {
	o := value.NewObject("System.IO.TextWriter+SyncTextWriter")
	o.Supertypes = []string{"System.IO.TextWriter"}
	put := func(text string) (any, error) {
		_, err := w.Write(s.Encode(text))
		return void(err)
	}
	bind(o, "Write", method("Write", 1, 1, func(c call) (any, error) { return put(consoleText(c.args)) }))
	bind(o, "WriteLine", method("WriteLine", 0, 1, func(c call) (any, error) { return put(consoleText(c.args) + "\r\n") }))
	bind(o, "Flush", method("Flush", 0, 0, func(call) (any, error) { return value.Void{}, nil }))
	return o
}

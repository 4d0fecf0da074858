package interp

import (
	"context"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding"

	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// host is where the output of a run goes: to the standard output as text. Objects that
// the real host would show as a table or list are not modelled.
func (s *Session) host(_ context.Context, v any) error {
	text, err := hostText(v)
	if err != nil {
		return err
	}
	if text == nil {
		return nil
	}
	return s.WriteHost(*text + "\r\n")
}

// hostText is a value as the host shows it; nil for nothing.
func hostText(v any) (*string, error) {
	text := ""
	switch b := value.Base(v).(type) {
	case nil:
		return nil, nil
	case string:
		text = b
	case *value.ErrorRecord:
		text = strings.TrimSuffix(ErrorText(b), "\r\n")
	case value.DateTime, value.GUID, value.Version, value.TimeSpan, value.Type, *value.Hashtable, *value.Exception, *Block, *value.Regex:
		return nil, unknown.New("how the host shows a %s: convert it to text", value.TypeName(b))
	case *value.Object:
		return nil, unknown.New("how the host shows a %s: convert it to text", b.Type)
	case *value.Array, *value.List, *value.Bytes:
		return nil, unknown.New("how the host shows an array inside of an array")
	default:
		text = value.Local(b)
	}
	return &text, nil
}

// WriteHost writes text to the standard output in the encoding of the console.
func (s *Session) WriteHost(text string) error {
	return write(s.job.Stdout, s.encode(text))
}

func write(w io.Writer, data []byte) error {
	if w == nil {
		return nil
	}
	_, err := w.Write(data)
	return err
}

// encode is text in the encoding of the console; what it does not have becomes "?".
func (s *Session) encode(text string) []byte {
	if s.output == nil {
		return []byte(text)
	}
	data, err := encoding.ReplaceUnsupported(s.output.NewEncoder()).Bytes([]byte(text))
	if err != nil {
		return []byte(text)
	}
	for i, b := range data {
		if b == 0x1A { // what the charmaps write for what they do not have
			data[i] = '?'
		}
	}
	return data
}

// decode is what a program wrote, in the encoding of the console.
func (s *Session) decode(data []byte) string {
	if s.output == nil {
		return strings.ToValidUTF8(string(data), "\uFFFD")
	}
	text, err := s.output.NewDecoder().Bytes(data)
	if err != nil {
		return string(data)
	}
	return string(text)
}

// SetConsoleEncoding sets the encoding of the console; nil is UTF-8.
func (s *Session) SetConsoleEncoding(e encoding.Encoding) { s.output = e }

// Stdin, Stdout and Stderr are the raw streams of the process.
func (s *Session) Stdin() io.Reader  { return s.job.Stdin }
func (s *Session) Stdout() io.Writer { return s.job.Stdout }
func (s *Session) Stderr() io.Writer { return s.job.Stderr }

// Encode is text as the console writes it.
func (s *Session) Encode(text string) []byte { return s.encode(text) }

// Decode is text as the console reads it.
func (s *Session) Decode(data []byte) string { return s.decode(data) }

// WriteStream writes to one of the streams besides output and errors: '3' for warnings,
// '4' for verbose, '5' for debug, '6' for information. text is what the host shows.
func (s *Session) WriteStream(ctx context.Context, stream byte, v any, text string) error {
	if sink, ok := s.streams[stream]; ok {
		return sink(ctx, v)
	}
	return s.WriteHost(text)
}

// errorText writes what PowerShell itself has to say to the standard error.
func (s *Session) errorText(text string) error {
	if s.job.Encoded {
		s.clixml = append(s.clixml, text)
		return nil
	}
	return write(s.job.Stderr, s.encode(text))
}

// flushErrors writes the errors of an encoded command as CLIXML.
func (s *Session) flushErrors() error {
	if len(s.clixml) == 0 {
		return nil
	}
	var b strings.Builder
	b.WriteString("#< CLIXML\r\n" + `<Objs Version="1.1.0.1" xmlns="http://schemas.microsoft.com/powershell/2004/04">`)
	for _, text := range s.clixml {
		for _, line := range strings.SplitAfter(text, "\n") {
			if line != "" {
				b.WriteString(`<S S="Error">` + clixmlText(line) + `</S>`)
			}
		}
	}
	b.WriteString("</Objs>")
	s.clixml = nil
	return write(s.job.Stderr, s.encode(b.String()))
}

// clixmlText escapes text as CLIXML does: control characters are _x000A_.
func clixmlText(text string) string {
	var b strings.Builder
	for i, r := range text {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\'':
			b.WriteString("&apos;")
		case r < 0x20 || r == 0x7F:
			fmt.Fprintf(&b, "_x%04X_", r)
		case r == '_' && strings.HasPrefix(text[i:], "_x"):
			b.WriteString("_x005F_")
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// HostText is a value as the host shows it; nil for nothing. What the host would show as
// a table or list is an *unknown.Error.
func HostText(v any) (*string, error) { return hostText(v) }

// ShowHost shows a value, as a value that nothing takes is shown.
func (s *Session) ShowHost(v any) error { return s.host(context.Background(), v) }

// WriteStream writes the parameter Message to the stream of warnings and the like, as
// the variable of the preference says.
func (c *Call) WriteStream(ctx context.Context, stream byte, preference, prefix string) error {
	text := c.String("Message")
	action := strings.ToLower(value.String(c.Session.Variable(preference)))
	if stream == '3' && c.common.warningAction != "" {
		action = c.common.warningAction
	}
	if stream == '4' && c.common.verbose {
		action = "continue"
	}
	switch action {
	case "silentlycontinue", "ignore":
		return nil
	case "continue":
		return c.Session.WriteStream(ctx, stream, text, prefix+text+"\r\n")
	}
	return unknown.New("%s with the value %q", preference, action)
}

package powershell

import (
	"bytes"
	"encoding/xml"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"
)

// What PowerShell writes to a standard error that is no console: a line that says
// so, and an XML document, without a line end, for what it has to say
// ([MS-PSRP] 2.2.5, "Serialization").
const (
	clixmlLine  = "#< CLIXML"
	clixmlBegin = "<Objs "
	clixmlEnd   = "</Objs>"
)

// largestBlock is the most, in bytes, that is kept of one document before it is
// passed on as it is.
const largestBlock = 4 << 20

// Errors is the standard error of the bootstrap. It passes text on as it comes, and
// of CLIXML what people want to read: errors, warnings and the like, no progress.
type Errors struct {
	to      io.Writer
	held    []byte // the beginning of a line, or of a document, that is not decided yet
	in      bool   // held is within a document
	behind  bool   // held is behind one, where a line end belongs to it
	midLine bool   // what was passed on did not end with a line end
}

// NewErrors passes on to a writer.
func NewErrors(to io.Writer) *Errors { return &Errors{to: to} }

func (e *Errors) Write(b []byte) (int, error) {
	e.held = append(e.held, b...)
	for len(e.held) > 0 {
		done, err := e.step()
		if err != nil {
			return 0, err
		}
		if !done {
			break
		}
	}
	return len(b), nil
}

// Close passes on what is held.
func (e *Errors) Close() error {
	rest := e.held
	e.held, e.in, e.behind = nil, false, false
	return e.pass(rest)
}

// step takes one line or document off what is held. It reports whether to go on.
func (e *Errors) step() (bool, error) {
	if e.in {
		return e.document()
	}
	if e.behind {
		return e.skipLineEnd(), nil
	}
	if e.midLine {
		return e.line()
	}
	switch {
	case bytes.HasPrefix(e.held, []byte(clixmlBegin)):
		e.in = true
		return true, nil
	case bytes.HasPrefix(e.held, []byte(clixmlLine)):
		end := bytes.IndexByte(e.held, '\n')
		if end < 0 {
			return false, nil
		}
		e.held = e.held[end+1:]
		return true, nil
	case strings.HasPrefix(clixmlBegin, string(e.held)), strings.HasPrefix(clixmlLine, string(e.held)):
		return false, nil // it may become either
	}
	return e.line()
}

// line passes on a line, or what is there of it.
func (e *Errors) line() (bool, error) {
	end := bytes.IndexByte(e.held, '\n') + 1
	if end == 0 {
		end = len(e.held)
	}
	text := e.held[:end]
	e.held = e.held[end:]
	return true, e.pass(text)
}

// document passes on what a document says, once it is complete.
func (e *Errors) document() (bool, error) {
	end := bytes.Index(e.held, []byte(clixmlEnd))
	if end < 0 && len(e.held) < largestBlock {
		return false, nil
	}
	if end < 0 {
		end = len(e.held)
	} else {
		end += len(clixmlEnd)
	}
	text := readable(e.held[:end])
	e.held, e.in, e.behind = e.held[end:], false, true
	return true, e.pass([]byte(text))
}

// skipLineEnd takes the line end behind a document away. It returns false when it is
// not known yet whether there is one.
func (e *Errors) skipLineEnd() bool {
	if string(e.held) == "\r" {
		return false
	}
	rest := bytes.TrimPrefix(e.held, []byte("\r"))
	if rest = bytes.TrimPrefix(rest, []byte("\n")); len(rest) < len(e.held) {
		e.held = rest
	}
	e.behind = false
	return true
}

func (e *Errors) pass(text []byte) error {
	if len(text) == 0 {
		return nil
	}
	e.midLine = text[len(text)-1] != '\n'
	_, err := e.to.Write(text)
	return err
}

// entry is something that a document says.
type entry struct {
	XMLName xml.Name
	Stream  string `xml:"S,attr"`
	Text    string `xml:",chardata"`
	String  string `xml:"ToString"` // of an object
}

// prefix is what PowerShell puts before a message of a stream on a console.
func prefix(stream string) string {
	switch name := strings.ToUpper(stream); name {
	case "WARNING", "VERBOSE", "DEBUG":
		return name + ": "
	}
	return ""
}

// readable is a document as text. One that is damaged stays as it is.
func readable(document []byte) string {
	var all struct {
		Entries []entry `xml:",any"`
	}
	if err := xml.Unmarshal(document, &all); err != nil {
		return string(document)
	}
	var b strings.Builder
	for _, e := range all.Entries {
		text := e.Text
		if e.XMLName.Local != "S" {
			text = e.String
		}
		text = strings.ReplaceAll(unescape(text), "\r\n", "\n")
		if strings.EqualFold(e.Stream, "progress") || text == "" {
			continue
		}
		b.WriteString(prefix(e.Stream) + text)
		if !strings.HasSuffix(text, "\n") {
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// escapes matches characters that XML does not allow, as _x000D_.
var escapes = regexp.MustCompile(`(?:_x[0-9A-Fa-f]{4}_)+`)

// unescape turns _x000D_, which stands for a UTF-16 unit that is not allowed in XML
// ([MS-PSRP] 2.2.5.3.2), into the character.
func unescape(text string) string {
	return escapes.ReplaceAllStringFunc(text, func(escaped string) string {
		var units []uint16
		for at := 0; at < len(escaped); at += len("_x0000_") {
			unit, err := strconv.ParseUint(escaped[at+2:at+6], 16, 16)
			if err != nil {
				return escaped
			}
			units = append(units, uint16(unit))
		}
		return string(utf16.Decode(units))
	})
}

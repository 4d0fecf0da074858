package soap

import (
	"encoding/xml"
	"strings"
	"time"
)

// MinEnvelopeSize is the smallest limit that a client may set to answers, in bytes
// (DSP0226 R6.2-4).
const MinEnvelopeSize = 8192

// Request is a message of a client. What a client left out has the zero value.
type Request struct {
	Action, MessageID, ResourceURI string
	To                             string
	ShellID                        string // of the selector, in upper case
	Options                        map[string]string
	MaxEnvelopeSize                int
	OperationTimeout               time.Duration
	Body                           Body
}

// Identify reports whether the request asks what the server is (DSP0226 11).
func (r *Request) Identify() bool { return r.Body.Identify != nil }

// Body is the content of a request: one of the fields is set.
type Body struct {
	Identify    *struct{}    `xml:"http://schemas.dmtf.org/wbem/wsman/identity/1/wsmanidentity.xsd Identify"`
	Shell       *Shell       `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Shell"`
	CommandLine *CommandLine `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell CommandLine"`
	Send        *Send        `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Send"`
	Receive     *Receive     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Receive"`
	Signal      *Signal      `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Signal"`
	Unknown     []element    `xml:",any"`
}

// Shell asks for a shell (MS-WSMV 2.2.4.37).
type Shell struct {
	ID               string     `xml:"ShellId,attr"`
	Name             string     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Name"`
	WorkingDirectory string     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell WorkingDirectory"`
	Lifetime         string     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Lifetime"`
	IdleTimeOut      string     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell IdleTimeOut"`
	InputStreams     string     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell InputStreams"`
	OutputStreams    string     `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell OutputStreams"`
	Environment      []Variable `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Environment>Variable"`
	Unknown          []element  `xml:",any"`
}

// Variable is one of a shell's environment.
type Variable struct {
	Name  string `xml:"Name,attr"`
	Value string `xml:",chardata"`
}

// CommandLine asks to run a command (MS-WSMV 2.2.4.7).
type CommandLine struct {
	ID        string    `xml:"CommandId,attr"`
	Command   string    `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Command"`
	Arguments []string  `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Arguments"`
	Unknown   []element `xml:",any"`
}

// Send carries input (MS-WSMV 2.2.4.36).
type Send struct {
	Streams []Stream  `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Stream"`
	Unknown []element `xml:",any"`
}

// Stream is a piece of a stream (MS-WSMV 2.2.4.39).
type Stream struct {
	Name      string `xml:"Name,attr"`
	CommandID string `xml:"CommandId,attr"`
	End       string `xml:"End,attr"`
	Base64    string `xml:",chardata"`
}

// Ends reports whether nothing comes behind the piece.
func (s Stream) Ends() bool { return strings.EqualFold(s.End, "true") || s.End == "1" }

// Receive asks for output (MS-WSMV 2.2.4.33).
type Receive struct {
	Desired struct {
		CommandID string `xml:"CommandId,attr"`
		Streams   string `xml:",chardata"`
	} `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell DesiredStream"`
	Unknown []element `xml:",any"`
}

// Signal signals a command, or the shell when it has no id (MS-WSMV 2.2.4.38).
type Signal struct {
	CommandID string    `xml:"CommandId,attr"`
	Code      string    `xml:"http://schemas.microsoft.com/wbem/wsman/1/windows/shell Code"`
	Unknown   []element `xml:",any"`
}

// element is one that the schema does not know.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
}

// unknown are the elements of the body that no schema has.
func (b Body) unknown() []element {
	all := b.Unknown
	if b.Shell != nil {
		all = append(all, b.Shell.Unknown...)
	}
	if b.CommandLine != nil {
		all = append(all, b.CommandLine.Unknown...)
	}
	if b.Send != nil {
		all = append(all, b.Send.Unknown...)
	}
	if b.Receive != nil {
		all = append(all, b.Receive.Unknown...)
	}
	if b.Signal != nil {
		all = append(all, b.Signal.Unknown...)
	}
	return all
}

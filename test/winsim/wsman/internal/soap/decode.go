package soap

import (
	"encoding/xml"
	"strings"
)

// envelope is a message as it travels.
type envelope struct {
	XMLName xml.Name `xml:"http://www.w3.org/2003/05/soap-envelope Envelope"`
	Header  header   `xml:"http://www.w3.org/2003/05/soap-envelope Header"`
	Body    *Body    `xml:"http://www.w3.org/2003/05/soap-envelope Body"`
}

type header struct {
	To               string    `xml:"http://schemas.xmlsoap.org/ws/2004/08/addressing To"`
	Action           string    `xml:"http://schemas.xmlsoap.org/ws/2004/08/addressing Action"`
	MessageID        string    `xml:"http://schemas.xmlsoap.org/ws/2004/08/addressing MessageID"`
	ReplyTo          *element  `xml:"http://schemas.xmlsoap.org/ws/2004/08/addressing ReplyTo"`
	ResourceURI      string    `xml:"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd ResourceURI"`
	MaxEnvelopeSize  *int      `xml:"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd MaxEnvelopeSize"`
	OperationTimeout string    `xml:"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd OperationTimeout"`
	Locale           *element  `xml:"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd Locale"`
	DataLocale       *element  `xml:"http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd DataLocale"`
	SessionID        string    `xml:"http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd SessionId"`
	OperationID      string    `xml:"http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd OperationID"`
	SequenceID       string    `xml:"http://schemas.microsoft.com/wbem/wsman/1/wsman.xsd SequenceId"`
	Selectors        []named   `xml:"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd SelectorSet>Selector"`
	Options          []named   `xml:"http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd OptionSet>Option"`
	Unknown          []element `xml:",any"`
}

// named is a selector or an option.
type named struct {
	Name  string `xml:"Name,attr"`
	Value string `xml:",chardata"`
}

// Decode reads a request. What it can read is in the request even when there is a
// fault, so that the fault can relate to its message.
func Decode(text []byte) (*Request, *Fault) {
	var e envelope
	if err := xml.Unmarshal(text, &e); err != nil {
		return &Request{}, NewFault(SchemaError)
	}
	r := &Request{
		Action:      strings.TrimSpace(e.Header.Action),
		MessageID:   strings.TrimSpace(e.Header.MessageID),
		ResourceURI: strings.TrimSpace(e.Header.ResourceURI),
		To:          strings.TrimSpace(e.Header.To),
		Options:     map[string]string{},
	}
	for _, o := range e.Header.Options {
		r.Options[strings.ToUpper(o.Name)] = strings.TrimSpace(o.Value)
	}
	if e.Body == nil {
		return r, NewFault(SchemaError)
	}
	r.Body = *e.Body
	return r, r.check(e.Header)
}

// check validates the header, in the order in which a mistake matters.
func (r *Request) check(h header) *Fault {
	if f := mustUnderstand(h.Unknown); f != nil {
		return f
	}
	if r.Identify() {
		return nil
	}
	if r.Action == "" || r.MessageID == "" || h.ReplyTo == nil {
		return NewFault(HeaderRequired)
	}
	if h.OperationTimeout != "" {
		timeout, ok := ParseDuration(h.OperationTimeout)
		if !ok {
			return NewFault(BadTimeout, h.OperationTimeout)
		}
		r.OperationTimeout = timeout
	}
	if h.MaxEnvelopeSize != nil {
		if *h.MaxEnvelopeSize < MinEnvelopeSize {
			return NewFault(EnvelopeTooSmall)
		}
		r.MaxEnvelopeSize = *h.MaxEnvelopeSize
	}
	for _, s := range h.Selectors {
		if !strings.EqualFold(s.Name, "ShellId") {
			return NewFault(UnknownShell)
		}
		r.ShellID = strings.ToUpper(strings.TrimSpace(s.Value))
	}
	if len(r.Body.unknown()) > 0 {
		return NewFault(SchemaError)
	}
	return nil
}

// mustUnderstand refuses headers that the client insists on and that are unknown
// (SOAP 1.2, 5.2.3).
func mustUnderstand(unknown []element) *Fault {
	for _, e := range unknown {
		for _, a := range e.Attrs {
			insists := a.Value == "true" || a.Value == "1"
			if a.Name.Space == nsEnvelope && a.Name.Local == "mustUnderstand" && insists {
				return NewFault(MustUnderstand)
			}
		}
	}
	return nil
}

package soap

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"strings"

	"github.com/google/uuid"
)

// NewID is a new GUID as Windows writes them: in upper case, without braces.
func NewID() string { return strings.ToUpper(uuid.NewString()) }

// Response is the answer to a request.
type Response struct {
	Action    string // of the request
	RelatesTo string // the request's message id
	Body      string // XML
	Language  string // such as en-US
}

// Encode writes the answer.
func (r Response) Encode() []byte {
	return encode(r.Action+"Response", r.RelatesTo, r.Body, r.Language)
}

func encode(action, relatesTo, body, language string) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<s:Envelope xml:lang="%s" xmlns:s="%s" xmlns:a="%s" xmlns:x="%s" xmlns:e="%s" xmlns:n="%s" xmlns:w="%s" xmlns:rsp="%s" xmlns:p="%s">`,
		language, nsEnvelope, nsAddressing, nsTransfer, nsEventing, nsEnumerate, nsManagement, nsShell, nsMicrosoft)
	fmt.Fprintf(&b, `<s:Header><a:Action>%s</a:Action><a:MessageID>uuid:%s</a:MessageID><a:To>%s</a:To>`, action, NewID(), anonymous)
	if relatesTo != "" {
		fmt.Fprintf(&b, `<a:RelatesTo>%s</a:RelatesTo>`, escape(relatesTo))
	}
	fmt.Fprintf(&b, `</s:Header><s:Body>%s</s:Body></s:Envelope>`, body)
	return []byte(b.String())
}

// Identified is the answer to Identify (DSP0226 11). It has no headers.
func Identified(version, language string) []byte {
	return fmt.Appendf(nil, `<s:Envelope xml:lang="%s" xmlns:s="%s"><s:Header/><s:Body><wsmid:IdentifyResponse xmlns:wsmid="%s">`+
		`<wsmid:ProtocolVersion>%s</wsmid:ProtocolVersion><wsmid:ProductVendor>Microsoft Corporation</wsmid:ProductVendor>`+
		`<wsmid:ProductVersion>%s</wsmid:ProductVersion></wsmid:IdentifyResponse></s:Body></s:Envelope>`,
		language, nsEnvelope, nsIdentity, nsManagement, escape(version))
}

// Created describes a new shell.
type Created struct {
	Address, ID, Owner, ClientIP, WorkingDirectory string
	IdleTimeOut                                    string // as FormatDuration writes it
	InputStreams, OutputStreams                    string // names with spaces between
}

// Body is the body of the answer to Create.
func (c Created) Body() string {
	var b strings.Builder
	fmt.Fprintf(&b, `<x:ResourceCreated><a:Address>%s</a:Address><a:ReferenceParameters><w:ResourceURI>%s</w:ResourceURI>`+
		`<w:SelectorSet><w:Selector Name="ShellId">%s</w:Selector></w:SelectorSet></a:ReferenceParameters></x:ResourceCreated>`,
		escape(c.Address), ResourceCmd, c.ID)
	fmt.Fprintf(&b, `<rsp:Shell xmlns:rsp="%s"><rsp:ShellId>%s</rsp:ShellId>`, nsShell, c.ID)
	fmt.Fprintf(&b, `<rsp:ResourceUri>%s</rsp:ResourceUri><rsp:Owner>%s</rsp:Owner><rsp:ClientIP>%s</rsp:ClientIP>`,
		ResourceCmd, escape(c.Owner), escape(c.ClientIP))
	if c.WorkingDirectory != "" {
		fmt.Fprintf(&b, `<rsp:WorkingDirectory>%s</rsp:WorkingDirectory>`, escape(c.WorkingDirectory))
	}
	fmt.Fprintf(&b, `<rsp:IdleTimeOut>%s</rsp:IdleTimeOut><rsp:InputStreams>%s</rsp:InputStreams><rsp:OutputStreams>%s</rsp:OutputStreams>`,
		c.IdleTimeOut, escape(c.InputStreams), escape(c.OutputStreams))
	b.WriteString(`<rsp:ShellRunTime>P0DT0H0M0S</rsp:ShellRunTime><rsp:ShellInactivity>P0DT0H0M0S</rsp:ShellInactivity></rsp:Shell>`)
	return b.String()
}

// Started is the body of the answer to Command.
func Started(commandID string) string {
	return `<rsp:CommandResponse><rsp:CommandId>` + commandID + `</rsp:CommandId></rsp:CommandResponse>`
}

// Output is what a Receive brings.
type Output struct {
	CommandID string
	Chunks    []Chunk
	State     string
	ExitCode  uint32 // with StateDone
	Ended     []string
}

// Chunk is a piece of an output stream.
type Chunk struct {
	Stream string
	Data   []byte
}

// Body is the body of the answer to Receive.
func (o Output) Body() string {
	var b strings.Builder
	b.WriteString(`<rsp:ReceiveResponse>`)
	for _, c := range o.Chunks {
		fmt.Fprintf(&b, `<rsp:Stream Name="%s" CommandId="%s">%s</rsp:Stream>`, c.Stream, o.CommandID, base64.StdEncoding.EncodeToString(c.Data))
	}
	for _, stream := range o.Ended {
		fmt.Fprintf(&b, `<rsp:Stream Name="%s" CommandId="%s" End="true"></rsp:Stream>`, stream, o.CommandID)
	}
	fmt.Fprintf(&b, `<rsp:CommandState CommandId="%s" State="%s">`, o.CommandID, o.State)
	if o.State == StateDone {
		fmt.Fprintf(&b, `<rsp:ExitCode>%d</rsp:ExitCode>`, o.ExitCode)
	}
	b.WriteString(`</rsp:CommandState></rsp:ReceiveResponse>`)
	return b.String()
}

// Bodies of the answers to Send and Signal.
const (
	Sent     = `<rsp:SendResponse/>`
	Signaled = `<rsp:SignalResponse/>`
)

func escape(text string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(text)) // a Builder never fails
	return b.String()
}

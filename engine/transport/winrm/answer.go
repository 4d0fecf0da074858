package winrm

import (
	"encoding/base64"
	"encoding/xml"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// envelope is the answer to any operation. Missing parts are empty.
type envelope struct {
	XMLName xml.Name `xml:"http://www.w3.org/2003/05/soap-envelope Envelope"`
	Action  string   `xml:"Header>Action"`
	Body    struct {
		Fault     *faultBody `xml:"Fault"`
		ShellID   string     `xml:"Shell>ShellId"`
		Selectors []selector `xml:"ResourceCreated>ReferenceParameters>SelectorSet>Selector"`
		CommandID string     `xml:"CommandResponse>CommandId"`
		Output    *output    `xml:"ReceiveResponse"`
	} `xml:"Body"`
}

type selector struct {
	Name  string `xml:"Name,attr"`
	Value string `xml:",chardata"`
}

// output is the answer to Receive ([MS-WSMV] 2.2.4.28).
type output struct {
	Streams []stream `xml:"Stream"`
	State   *struct {
		State    string `xml:"State,attr"`
		ExitCode string `xml:"ExitCode"`
	} `xml:"CommandState"`
}

type stream struct {
	Name string `xml:"Name,attr"`
	Text string `xml:",chardata"`
}

func (s stream) bytes() ([]byte, error) {
	b, err := base64.StdEncoding.DecodeString(strings.TrimSpace(s.Text))
	if err != nil {
		return nil, fmt.Errorf("the machine's output is not base64: %w", err)
	}
	return b, nil
}

// parse reads an answer to an operation. It returns a fault in the answer as the error.
func parse(m message, text []byte) (*envelope, error) {
	var e envelope
	if err := xml.Unmarshal(text, &e); err != nil {
		return nil, fmt.Errorf("%s: the machine answers what is no SOAP message: %w", m.step, err)
	}
	if e.Body.Fault != nil {
		return nil, e.Body.Fault.fault(m.step)
	}
	if action := strings.TrimSpace(e.Action); action != m.action+"Response" {
		return nil, fmt.Errorf("%s: the machine answers with the action %q instead of %q", m.step, action, m.action+"Response")
	}
	return &e, nil
}

func (e *envelope) shell() (string, error) {
	for _, s := range e.Body.Selectors {
		if s.Name == "ShellId" && s.Value != "" {
			return strings.TrimSpace(s.Value), nil
		}
	}
	if id := strings.TrimSpace(e.Body.ShellID); id != "" {
		return id, nil
	}
	return "", errors.New("the machine made a shell and did not say which")
}

func (e *envelope) command() (string, error) {
	if id := strings.TrimSpace(e.Body.CommandID); id != "" {
		return id, nil
	}
	return "", errors.New("the machine started a command and did not say which")
}

// stateDone is the state of a command that has ended ([MS-WSMV] 2.2.4.9).
const stateDone = shellNamespace + "/CommandState/Done"

// done reports whether the command has ended, and its exit code as Windows shows it,
// from -2147483648 on.
func (o *output) done() (code int, done bool, err error) {
	if o.State == nil || o.State.State != stateDone {
		return 0, false, nil
	}
	n, err := strconv.ParseInt(strings.TrimSpace(o.State.ExitCode), 10, 64)
	if err != nil {
		return 0, true, fmt.Errorf("the command has ended, but the machine says %q instead of an exit code", o.State.ExitCode)
	}
	return int(int32(uint32(n))), true, nil
}

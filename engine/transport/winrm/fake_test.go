package winrm_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/transport/winrm"
)

// machine is a WinRM service by hand: it knows shells and commands, and of PowerShell
// only what the bootstrap does. What a script does is a function of the test.
type machine struct {
	t      *testing.T
	server *httptest.Server
	script func(p *started) int
	poll   time.Duration // how long a Receive is held

	mu      sync.Mutex
	hook    func(r *request) reaction // nil does what is asked
	asked   map[string]int            // requests, by step
	shells  map[string]*remoteShell
	made    int      // shells
	scripts []string // that have begun
}

// remoteShell is a shell and its commands.
type remoteShell struct {
	commands map[string]*started
	started  int
}

// started is a command on the machine.
type started struct {
	ctx    context.Context // ends when it is terminated
	end    context.CancelFunc
	stdin  *io.PipeReader
	input  *io.PipeWriter
	script string

	mu     sync.Mutex
	out    [2]bytes.Buffer // not received yet
	code   int
	ended  bool
	closed bool          // the input
	gone   bool          // with its shell
	news   chan struct{} // closed and replaced when something changes
}

func (p *started) Stdout() io.Writer { return p.writer(0) }
func (p *started) Stderr() io.Writer { return p.writer(1) }

type processWriter func([]byte) (int, error)

func (f processWriter) Write(b []byte) (int, error) { return f(b) }

func (p *started) writer(stream int) io.Writer {
	return processWriter(func(b []byte) (int, error) {
		p.change(func() { p.out[stream].Write(b) })
		return len(b), p.ctx.Err()
	})
}

func (p *started) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
	close(p.news)
	p.news = make(chan struct{})
}

// request is one operation that arrived.
type request struct {
	step      string // Create, Command …
	n         int    // of this step, from 1
	shell     string
	command   string
	input     []byte
	end       bool
	line      string
	size      int // of the message, in bytes
	user      string
	password  string
	consoleIn string // WINRS_CONSOLEMODE_STDIN
}

// reaction is what happens to a request instead of its answer.
type reaction struct {
	dropBefore bool   // the connection is cut before it is handled
	dropAfter  bool   // it is handled, and the connection is cut before the answer
	dropMiddle bool   // as dropAfter, in the middle of the answer
	fault      uint32 // it is refused
	status     int    // it is refused by HTTP
	body       string // with status 200, in place of the answer
}

// start starts a machine and returns it with a config that reaches it.
func start(t *testing.T, script func(p *started) int) (*machine, winrm.Config) {
	t.Helper()
	m := &machine{t: t, script: script, poll: 300 * time.Millisecond, asked: map[string]int{}, shells: map[string]*remoteShell{}}
	m.server = httptest.NewTLSServer(m)
	t.Cleanup(func() {
		m.reboot()
		m.server.Close()
	})
	return m, m.config()
}

func (m *machine) config() winrm.Config {
	host, port, _ := net.SplitHostPort(m.server.Listener.Addr().String())
	number, _ := strconv.Atoi(port)
	return winrm.WithTimes(winrm.Config{
		Name: "node1", Address: host, Port: number, User: "Administrator", Password: "s3cr3t", Certificate: certificate(m.server.Certificate().Raw),
	}, m.poll, 2*time.Second, 3*time.Second)
}

// on sets what happens to requests from now on.
func (m *machine) on(hook func(r *request) reaction) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.hook = hook
}

// count is how many requests of a step there were.
func (m *machine) count(step string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.asked[step]
}

// ran lists the scripts that have begun.
func (m *machine) ran() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.scripts...)
}

// reboot ends all shells and commands.
func (m *machine) reboot() {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, s := range m.shells {
		for _, p := range s.commands {
			p.change(func() { p.gone = true })
			p.terminate()
		}
		delete(m.shells, id)
	}
}

// open is how many shells there are.
func (m *machine) open() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return len(m.shells)
}

func (p *started) terminate() {
	p.end()
	_ = p.input.CloseWithError(io.ErrClosedPipe)
	_ = p.stdin.CloseWithError(io.ErrClosedPipe)
}

const requestNamespaces = "http://schemas.microsoft.com/wbem/wsman/1/windows/shell"

// parseRequest reads a message of the client.
func parseRequest(t *testing.T, text []byte) *request {
	var e struct {
		Action   string `xml:"Header>Action"`
		Timeout  string `xml:"Header>OperationTimeout"`
		Selector string `xml:"Header>SelectorSet>Selector"`
		Options  []struct {
			Name  string `xml:"Name,attr"`
			Value string `xml:",chardata"`
		} `xml:"Header>OptionSet>Option"`
		Line   string `xml:"Body>CommandLine>Command"`
		Stream struct {
			Command string `xml:"CommandId,attr"`
			End     bool   `xml:"End,attr"`
			Text    string `xml:",chardata"`
		} `xml:"Body>Send>Stream"`
		Desired struct {
			Command string `xml:"CommandId,attr"`
		} `xml:"Body>Receive>DesiredStream"`
		Signal struct {
			Command string `xml:"CommandId,attr"`
		} `xml:"Body>Signal"`
	}
	if err := xml.Unmarshal(text, &e); err != nil {
		t.Errorf("the client sent no SOAP: %v\n%s", err, text)
	}
	r := &request{step: e.Action[strings.LastIndexByte(e.Action, '/')+1:], shell: e.Selector, line: e.Line, end: e.Stream.End, size: len(text)}
	r.command = e.Stream.Command + e.Desired.Command + e.Signal.Command
	r.input, _ = base64.StdEncoding.DecodeString(e.Stream.Text)
	for _, o := range e.Options {
		if o.Name == "WINRS_CONSOLEMODE_STDIN" {
			r.consoleIn = o.Value
		}
	}
	return r
}

func (m *machine) ServeHTTP(w http.ResponseWriter, h *http.Request) {
	text, err := io.ReadAll(h.Body)
	if err != nil {
		return // the client has gone
	}
	r := parseRequest(m.t, text)
	r.user, r.password, _ = h.BasicAuth()
	m.mu.Lock()
	m.asked[r.step]++
	r.n = m.asked[r.step]
	react := reaction{}
	if m.hook != nil {
		react = m.hook(r)
	}
	m.mu.Unlock()
	if react.dropBefore {
		cut(w, "")
		return
	}
	if react.fault != 0 {
		refuse(w, react.fault)
		return
	}
	if react.status == http.StatusOK {
		w.Header().Set("Content-Type", "application/soap+xml;charset=UTF-8")
		_, _ = io.WriteString(w, react.body)
		return
	}
	if react.status != 0 {
		w.Header().Add("WWW-Authenticate", "Negotiate")
		w.Header().Add("WWW-Authenticate", `Basic realm="WSMAN"`)
		w.WriteHeader(react.status)
		return
	}
	body, fault := m.handle(h.Context(), r)
	switch {
	case react.dropAfter:
		cut(w, "")
	case react.dropMiddle:
		cut(w, body)
	case fault != 0:
		refuse(w, fault)
	default:
		w.Header().Set("Content-Type", "application/soap+xml;charset=UTF-8")
		_, _ = io.WriteString(w, body)
	}
}

// cut ends the connection, in the middle of an answer if there is one.
func cut(w http.ResponseWriter, body string) {
	conn, out, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if body != "" {
		_, _ = fmt.Fprintf(out, "HTTP/1.1 200 OK\r\nContent-Type: application/soap+xml;charset=UTF-8\r\nContent-Length: %d\r\n\r\n%s", len(body), body[:len(body)/2])
		_ = out.Flush()
	}
	_ = conn.Close()
}

func refuse(w http.ResponseWriter, code uint32) {
	w.Header().Set("Content-Type", "application/soap+xml;charset=UTF-8")
	w.WriteHeader(http.StatusInternalServerError)
	_, _ = fmt.Fprintf(w, `<s:Envelope xml:lang="de-DE" xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing">`+
		`<s:Header><a:Action>http://schemas.dmtf.org/wbem/wsman/1/wsman/fault</a:Action></s:Header><s:Body><s:Fault>`+
		`<s:Code><s:Value>s:Receiver</s:Value><s:Subcode><s:Value>w:InternalError</s:Value></s:Subcode></s:Code>`+
		`<s:Reason><s:Text xml:lang="de-DE">Etwas ging schief. </s:Text></s:Reason>`+
		`<s:Detail><f:WSManFault xmlns:f="http://schemas.microsoft.com/wbem/wsman/1/wsmanfault" Code="%d" Machine="node1"><f:Message>Etwas ging schief.</f:Message></f:WSManFault></s:Detail>`+
		`</s:Fault></s:Body></s:Envelope>`, code)
}

// answerTo is an answer in the form of Windows.
func answerTo(step, body string) string {
	action := requestNamespaces + "/" + step
	if step == "Create" || step == "Delete" {
		action = "http://schemas.xmlsoap.org/ws/2004/09/transfer/" + step
	}
	return `<s:Envelope xml:lang="en-US" xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing" ` +
		`xmlns:w="http://schemas.dmtf.org/wbem/wsman/1/wsman.xsd" xmlns:x="http://schemas.xmlsoap.org/ws/2004/09/transfer" xmlns:rsp="` + requestNamespaces + `">` +
		`<s:Header><a:Action>` + action + `Response</a:Action></s:Header><s:Body>` + body + `</s:Body></s:Envelope>`
}

const (
	codeTimedOut   = 2150858793
	codeNoSelector = 2150858843
)

// handle does what a request asks for.
func (m *machine) handle(ctx context.Context, r *request) (body string, fault uint32) {
	m.mu.Lock()
	s := m.shells[r.shell]
	if r.step == "Create" {
		defer m.mu.Unlock()
		m.made++
		id := fmt.Sprintf("SHELL-%d", m.made)
		m.shells[id] = &remoteShell{commands: map[string]*started{}}
		return answerTo("Create", `<x:ResourceCreated><a:ReferenceParameters><w:SelectorSet><w:Selector Name="ShellId">`+id+
			`</w:Selector></w:SelectorSet></a:ReferenceParameters></x:ResourceCreated><rsp:Shell><rsp:ShellId>`+id+`</rsp:ShellId></rsp:Shell>`), 0
	}
	if s == nil {
		m.mu.Unlock()
		return "", codeNoSelector
	}
	p := s.commands[r.command]
	switch r.step {
	case "Delete":
		defer m.mu.Unlock()
		for _, p := range s.commands {
			p.terminate()
		}
		delete(m.shells, r.shell)
		return answerTo("Delete", ""), 0
	case "Command":
		defer m.mu.Unlock()
		s.started++
		id := fmt.Sprintf("%s-COMMAND-%d", r.shell, s.started)
		s.commands[id] = m.launch()
		return answerTo("Command", `<rsp:CommandResponse><rsp:CommandId>`+id+`</rsp:CommandId></rsp:CommandResponse>`), 0
	}
	m.mu.Unlock()
	if p == nil {
		return "", codeNoSelector
	}
	switch r.step {
	case "Send":
		return p.take(r)
	case "Receive":
		return p.give(ctx, r.command, m.poll)
	}
	p.terminate()
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(s.commands, r.command)
	return answerTo("Signal", ""), 0
}

// take writes to the standard input.
func (p *started) take(r *request) (string, uint32) {
	p.mu.Lock()
	closed := p.closed || p.ended
	p.mu.Unlock()
	if closed {
		return "", 232
	}
	if _, err := p.input.Write(r.input); err != nil {
		return "", 109
	}
	if r.end {
		p.mu.Lock()
		p.closed = true
		p.mu.Unlock()
		_ = p.input.Close()
	}
	return answerTo("Send", "<rsp:SendResponse/>"), 0
}

// give waits for output, and is what Receive answers. What was given is gone.
func (p *started) give(ctx context.Context, id string, poll time.Duration) (string, uint32) {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	for {
		p.mu.Lock()
		news := p.news
		if p.gone {
			defer p.mu.Unlock()
			return "", codeNoSelector
		}
		if p.ended || p.out[0].Len()+p.out[1].Len() > 0 {
			defer p.mu.Unlock()
			return p.received(id), 0
		}
		p.mu.Unlock()
		select {
		case <-news:
		case <-timer.C:
			return "", codeTimedOut
		case <-ctx.Done():
			return "", codeTimedOut
		}
	}
}

// most is the most output, in bytes, in one answer.
const most = 100_000

func (p *started) received(id string) string {
	var b strings.Builder
	b.WriteString(`<rsp:ReceiveResponse>`)
	for i, name := range []string{"stdout", "stderr"} {
		if text := p.out[i].Next(most); len(text) > 0 {
			fmt.Fprintf(&b, `<rsp:Stream Name="%s" CommandId="%s">%s</rsp:Stream>`, name, id, base64.StdEncoding.EncodeToString(text))
		}
	}
	if p.ended && p.out[0].Len()+p.out[1].Len() == 0 {
		fmt.Fprintf(&b, `<rsp:Stream Name="stdout" CommandId="%s" End="true"/><rsp:CommandState CommandId="%s" State="%s/CommandState/Done"><rsp:ExitCode>%d</rsp:ExitCode></rsp:CommandState>`, id, id, requestNamespaces, p.code)
	} else {
		fmt.Fprintf(&b, `<rsp:CommandState CommandId="%s" State="%s/CommandState/Running"/>`, id, requestNamespaces)
	}
	b.WriteString(`</rsp:ReceiveResponse>`)
	return answerTo("Receive", b.String())
}

// launch starts the bootstrap.
func (m *machine) launch() *started {
	p := &started{news: make(chan struct{})}
	p.ctx, p.end = context.WithCancel(context.Background())
	p.stdin, p.input = io.Pipe()
	go func() {
		code := m.bootstrap(p)
		_ = p.stdin.CloseWithError(io.ErrClosedPipe)
		p.change(func() { p.ended, p.code = true, code })
	}()
	return p
}

// bootstrap is what bootstrap.ps1 does.
func (m *machine) bootstrap(p *started) int {
	head := make([]byte, 8)
	if _, err := io.ReadFull(p.stdin, head); err != nil {
		return 250
	}
	n, _ := strconv.Atoi(string(head))
	text := make([]byte, n)
	if _, err := io.ReadFull(p.stdin, text); err != nil {
		_, _ = io.WriteString(p.Stderr(), "kinit: the input ended before the script was complete\r\n")
		return 250
	}
	script, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		m.t.Errorf("the script is not base64: %v", err)
	}
	p.script = string(script)
	m.mu.Lock()
	m.scripts = append(m.scripts, p.script)
	m.mu.Unlock()
	_, _ = io.WriteString(p.Stdout(), "#kinit 4242\n")
	return m.script(p)
}

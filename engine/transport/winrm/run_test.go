package winrm_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/transport"
	"kinit/engine/transport/internal/powershell"
	"kinit/engine/transport/winrm"
)

func certificate(raw []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
}

func dial(t *testing.T, c winrm.Config) *winrm.Conn {
	t.Helper()
	conn, err := winrm.Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// echo copies its input and ends with 7.
func echo(p *started) int {
	_, _ = io.Copy(p.Stdout(), p.stdin)
	_, _ = io.WriteString(p.Stderr(), "said on stderr\n")
	return 7
}

// result is all that a command tells.
type result struct {
	code           int
	stdout, stderr string
	err            error
}

func run(ctx context.Context, conn *winrm.Conn, line string, in io.Reader) result {
	var stdout, stderr bytes.Buffer
	code, err := conn.Exec(ctx, transport.Process{Line: line, Stdin: in, Stdout: &stdout, Stderr: &stderr})
	return result{code, stdout.String(), stderr.String(), err}
}

func wantResult(t *testing.T, got result, code int, stdout string) {
	t.Helper()
	if got.err != nil || got.code != code || got.stdout != stdout {
		t.Errorf("code %d, output %.60q, error %v; want code %d, output %.60q", got.code, got.stdout, got.err, code, stdout)
	}
}

func wantRan(t *testing.T, m *machine, scripts ...string) {
	t.Helper()
	if got := m.ran(); !slices.Equal(got, scripts) {
		t.Errorf("ran %q, want %q", got, scripts)
	}
}

func TestACommandTravels(t *testing.T) {
	t.Parallel()
	m, c := start(t, echo)
	m.on(func(r *request) reaction {
		if r.user != "Administrator" || r.password != "s3cr3t" {
			t.Errorf("%s came from %s with %s", r.step, r.user, r.password)
		}
		if r.step == "Command" && (r.line != powershell.CommandLine() || r.consoleIn != "FALSE") {
			t.Errorf("the command line is %s, console mode %s", r.line, r.consoleIn)
		}
		return reaction{}
	})
	conn := dial(t, c)
	got := run(t.Context(), conn, "the script", strings.NewReader("the input"))
	wantResult(t, got, 7, "the input")
	if got.stderr != "said on stderr\n" {
		t.Errorf("stderr %q", got.stderr)
	}
	wantRan(t, m, "the script")
	for step, want := range map[string]int{"Create": 1, "Command": 1, "Send": 1, "Signal": 1, "Delete": 0} {
		if got := m.count(step); got != want {
			t.Errorf("%d × %s, want %d", got, step, want)
		}
	}
	if err := conn.Close(); err != nil || m.open() != 0 {
		t.Errorf("%d shells are left, error %v", m.open(), err)
	}
}

func TestInputIsStreamedInLargeParts(t *testing.T) {
	t.Parallel()
	m, c := start(t, echo)
	conn := dial(t, c)
	text := bytes.Repeat([]byte("0123456789abcdef"), 8<<20/16)
	var stdout bytes.Buffer
	code, err := conn.Exec(t.Context(), transport.Process{Line: "x", Stdin: onlyReader{bytes.NewReader(text)}, Stdout: &stdout})
	if err != nil || code != 7 || sha256.Sum256(stdout.Bytes()) != sha256.Sum256(text) {
		t.Errorf("code %d, %d bytes, error %v", code, stdout.Len(), err)
	}
	if sends := m.count("Send"); sends > 4+3*len(text)/winrm.LargestSend {
		t.Errorf("%d Sends for %d bytes", sends, len(text))
	}
}

type onlyReader struct{ io.Reader }

func TestALongScriptAndALongInputInMemory(t *testing.T) {
	t.Parallel()
	m, c := start(t, echo)
	conn := dial(t, c)
	script := strings.Repeat("# a long script\n", 100_000)
	input := strings.Repeat("x", 100_000)
	got := run(t.Context(), conn, script, strings.NewReader(input))
	wantResult(t, got, 7, input)
	wantRan(t, m, script)
	got = run(t.Context(), conn, script, nil)
	wantResult(t, got, 7, "")
}

func TestASmallerEnvelopeIsRespected(t *testing.T) {
	t.Parallel()
	for _, refusal := range []reaction{{status: 413}, {fault: 0x80338111}} {
		m, c := start(t, echo)
		most := 0
		m.on(func(r *request) reaction {
			if r.step == "Send" && r.size > 150_000 {
				return refusal
			}
			most = max(most, r.size)
			return reaction{}
		})
		conn := dial(t, c)
		text := strings.Repeat("y", 3_000_000)
		wantResult(t, run(t.Context(), conn, "x", onlyReader{strings.NewReader(text)}), 7, text)
		wantResult(t, run(t.Context(), conn, strings.Repeat("z", 400_000), strings.NewReader(text[:120_000])), 7, text[:120_000])
		if most < 60_000 {
			t.Errorf("the largest message has only %d bytes", most)
		}
	}
}

// Every step of a command, with the connection cut before and after it is handled.
func TestACutConnectionAtEveryStep(t *testing.T) {
	t.Parallel()
	cases := []struct {
		step   string
		stream bool
		cut    reaction
		err    error // nil: it finishes
	}{
		{"Create", false, reaction{dropBefore: true}, nil},
		{"Create", false, reaction{dropAfter: true}, nil},
		{"Command", false, reaction{dropBefore: true}, nil},
		{"Command", false, reaction{dropAfter: true}, nil},
		{"Send", false, reaction{dropBefore: true}, nil},
		{"Send", false, reaction{dropAfter: true}, nil},
		{"Send", false, reaction{dropMiddle: true}, nil},
		{"Send", true, reaction{dropBefore: true}, nil},
		{"Send", true, reaction{dropAfter: true}, nil},
		{"Receive", false, reaction{dropBefore: true}, nil},
		{"Signal", false, reaction{dropBefore: true}, nil},
		{"Signal", false, reaction{dropAfter: true}, nil},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("%s %+v streamed %v", c.step, c.cut, c.stream), func(t *testing.T) {
			t.Parallel()
			m, config := start(t, echo)
			m.on(func(r *request) reaction {
				if r.step == c.step && r.n == 1 {
					return c.cut
				}
				return reaction{}
			})
			conn := dial(t, config)
			var in io.Reader = strings.NewReader("in")
			if c.stream {
				in = onlyReader{in}
			}
			got := run(t.Context(), conn, "once", in)
			wantResult(t, got, 7, "in")
			wantRan(t, m, "once")
			m.on(nil)
			wantResult(t, run(t.Context(), conn, "again", nil), 7, "")
		})
	}
}

// Of a streamed input the first Send has the script without its last byte, the second
// the last byte, the third the first input, the last nothing but the end.
func TestACutConnectionWhileInputIsStreamed(t *testing.T) {
	t.Parallel()
	cases := []struct {
		send int
		cut  reaction
		want string // of the error; empty: it finishes
	}{
		{1, reaction{dropAfter: true}, ""},
		{2, reaction{dropAfter: true}, ""},
		{3, reaction{dropAfter: true}, "Send: the connection was lost before the answer came"},
		{3, reaction{dropBefore: true}, "it is unknown how much of the input arrived"},
		{4, reaction{dropBefore: true}, ""},
		{4, reaction{dropAfter: true}, ""},
		{4, reaction{dropMiddle: true}, ""},
	}
	for _, c := range cases {
		t.Run(fmt.Sprintf("Send %d %+v", c.send, c.cut), func(t *testing.T) {
			t.Parallel()
			m, config := start(t, echo)
			m.on(func(r *request) reaction {
				if r.step == "Send" && r.n == c.send {
					return c.cut
				}
				return reaction{}
			})
			got := run(t.Context(), dial(t, config), "once", onlyReader{strings.NewReader("in")})
			wantRan(t, m, "once")
			if c.want == "" {
				wantResult(t, got, 7, "in")
				return
			}
			if !errors.Is(got.err, transport.ErrUnreachable) || !strings.Contains(got.err.Error(), c.want) {
				t.Errorf("code %d, output %q, error %v", got.code, got.stdout, got.err)
			}
			if m.open() > 1 {
				t.Errorf("%d shells are left", m.open())
			}
		})
	}
}

// An answer with output that is lost on its way is told, and the command followed to
// its end.
func TestLostOutputIsTold(t *testing.T) {
	t.Parallel()
	begin := make(chan struct{})
	m, c := start(t, func(p *started) int {
		_, _ = io.WriteString(p.Stdout(), "first\n")
		<-begin
		_, _ = io.WriteString(p.Stdout(), "second\n")
		return 3
	})
	var once sync.Once
	cutNext := false
	m.on(func(r *request) reaction {
		if r.step != "Receive" || !cutNext {
			return reaction{}
		}
		react := reaction{}
		once.Do(func() { react.dropAfter = true })
		return react
	})
	conn := dial(t, c)
	seen := &trigger{word: "first\n", then: func() {
		m.mu.Lock()
		cutNext = true
		m.mu.Unlock()
		time.AfterFunc(50*time.Millisecond, func() { close(begin) })
	}}
	code, err := conn.Exec(t.Context(), transport.Process{Line: "once", Stdout: seen})
	if code != 3 || !errors.Is(err, transport.ErrIncomplete) || !strings.Contains(err.Error(), "Receive") {
		t.Errorf("code %d, error %v", code, err)
	}
	wantRan(t, m, "once")
}

// trigger does something when it has got a word.
type trigger struct {
	word string
	then func()
	text bytes.Buffer
	once sync.Once
}

func (w *trigger) Write(b []byte) (int, error) {
	w.text.Write(b)
	if strings.Contains(w.text.String(), w.word) {
		w.once.Do(w.then)
	}
	return len(b), nil
}

// Where the output is not wanted, none of it can be missing once the script is known to
// have begun.
func TestLostOutputThatIsNotWanted(t *testing.T) {
	t.Parallel()
	for lost, want := range map[int]error{1: transport.ErrIncomplete, 2: nil} {
		seen := make(chan struct{})
		m, c := start(t, func(p *started) int {
			<-seen
			_, _ = io.WriteString(p.Stdout(), "late")
			return 3
		})
		m.on(func(r *request) reaction {
			if r.step == "Receive" && r.n == 2 {
				close(seen)
			}
			return reaction{dropAfter: r.step == "Receive" && r.n == lost}
		})
		code, err := dial(t, c).Exec(t.Context(), transport.Process{Line: "once"})
		if code != 3 || !errors.Is(err, want) {
			t.Errorf("the loss of answer %d: code %d, error %v", lost, code, err)
		}
		wantRan(t, m, "once")
	}
}

func TestManyOperationTimeouts(t *testing.T) {
	t.Parallel()
	go_ := make(chan struct{})
	m, c := start(t, func(p *started) int {
		<-go_
		_, _ = io.WriteString(p.Stdout(), "late")
		return 0
	})
	m.on(func(r *request) reaction {
		if r.step == "Receive" && r.n == 8 {
			close(go_)
		}
		return reaction{}
	})
	wantResult(t, run(t.Context(), dial(t, c), "x", nil), 0, "late")
	if n := m.count("Receive"); n < 8 || n > 12 {
		t.Errorf("%d × Receive", n)
	}
}

// A machine that answers at once with nothing is not asked without end.
func TestAMachineThatDoesNotHoldReceiveIsNotPestered(t *testing.T) {
	t.Parallel()
	for name, react := range map[string]reaction{
		"operation timeouts at once": {fault: codeTimedOut},
		"running, without output":    {status: 200, body: answerTo("Receive", `<rsp:ReceiveResponse><rsp:CommandState State="`+requestNamespaces+`/CommandState/Running"/></rsp:ReceiveResponse>`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m, c := start(t, func(*started) int { return 0 })
			m.on(func(r *request) reaction {
				if r.step == "Receive" && r.n < 7 {
					return react
				}
				return reaction{}
			})
			begin := time.Now()
			wantResult(t, run(t.Context(), dial(t, c), "x", nil), 0, "")
			if took := time.Since(begin); took < time.Second {
				t.Errorf("seven Receives within %v", took)
			}
		})
	}
}

func TestAVanishedShell(t *testing.T) {
	t.Parallel()
	t.Run("while a command runs", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, func(p *started) int { <-p.ctx.Done(); return 1 })
		m.on(func(r *request) reaction {
			if r.step == "Receive" && r.n == 2 {
				go m.reboot()
			}
			return reaction{}
		})
		got := run(t.Context(), dial(t, c), "once", nil)
		if !errors.Is(got.err, transport.ErrUnreachable) || !strings.Contains(got.err.Error(), "the command's shell is gone") {
			t.Errorf("error is %v", got.err)
		}
		var fault *winrm.Fault
		if !errors.As(got.err, &fault) || fault.Code != codeNoSelector || fault.Step != "Receive" || fault.Text != "Etwas ging schief. " {
			t.Errorf("fault %+v", fault)
		}
		wantRan(t, m, "once")
	})
	t.Run("between two commands", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, echo)
		conn := dial(t, c)
		wantResult(t, run(t.Context(), conn, "one", nil), 7, "")
		m.reboot()
		wantResult(t, run(t.Context(), conn, "two", nil), 7, "")
		wantRan(t, m, "one", "two")
	})
	t.Run("between Command and Send", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, echo)
		m.on(func(r *request) reaction {
			return reaction{fault: map[bool]uint32{true: codeNoSelector}[r.step == "Send" && r.n == 1]}
		})
		// What refuses the end of the input may have had it: nothing is repeated.
		got := run(t.Context(), dial(t, c), "once", onlyReader{strings.NewReader("in")})
		wantResult(t, got, 7, "in")
		wantRan(t, m, "once")
	})
}

func TestFaultsHaveTheirCode(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"Create", "Command", "Send", "Receive"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			m, c := start(t, echo)
			conn := dial(t, c)
			m.reboot() // so that a shell is made again
			m.on(func(r *request) reaction {
				if r.step == step {
					return reaction{fault: 2150858817}
				}
				return reaction{}
			})
			got := run(t.Context(), conn, "x", onlyReader{strings.NewReader("in")})
			var fault *winrm.Fault
			if !errors.As(got.err, &fault) || fault.Code != 2150858817 || fault.Step != step || fault.Subcode != "InternalError" {
				t.Errorf("error is %v", got.err)
			}
			if m.count(step) > 2 {
				t.Errorf("%d × %s", m.count(step), step)
			}
		})
	}
}

func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	done := func(code string) string {
		return answerTo("Receive", `<rsp:ReceiveResponse><rsp:CommandState State="`+requestNamespaces+`/CommandState/Done">`+code+`</rsp:CommandState></rsp:ReceiveResponse>`)
	}
	cases := []struct{ name, step, body, want string }{
		{"no body", "Receive", "", "what is no SOAP message"},
		{"no XML", "Receive", "<html>", "what is no SOAP message"},
		{"another action", "Send", answerTo("Receive", ""), `instead of "` + requestNamespaces + `/SendResponse"`},
		{"an empty Send", "Send", "", "Send: the machine answers what is no SOAP message"},
		{"no output", "Receive", answerTo("Receive", ""), "no output in it"},
		{"no base64", "Receive", answerTo("Receive", `<rsp:ReceiveResponse><rsp:Stream Name="stdout">***</rsp:Stream></rsp:ReceiveResponse>`), "not base64"},
		{"no exit code", "Receive", done(""), `says "" instead of an exit code`},
		{"no script began", "Receive", done("<rsp:ExitCode>1</rsp:ExitCode>"), "PowerShell ended with code 1 before the script began"},
		{"no command id", "Command", answerTo("Command", "<rsp:CommandResponse/>"), "did not say which"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m, config := start(t, func(p *started) int { <-p.ctx.Done(); return 0 })
			m.on(func(r *request) reaction {
				if r.step == c.step {
					return reaction{status: 200, body: c.body}
				}
				return reaction{}
			})
			got := run(t.Context(), dial(t, config), "x", nil)
			if got.err == nil || !strings.Contains(got.err.Error(), c.want) {
				t.Errorf("code %d, error %v", got.code, got.err)
			}
		})
	}
}

func TestALoginThatIsRefused(t *testing.T) {
	t.Parallel()
	m, c := start(t, echo)
	m.on(func(*request) reaction { return reaction{status: 401} })
	_, err := winrm.Dial(t.Context(), c)
	want := fmt.Sprintf(`connect to node1 (%s:%d): authentication failed: node1 (%s:%d) does not let in user "Administrator" with the password given by basic; it offers Negotiate, Basic`, c.Address, c.Port, c.Address, c.Port)
	if !errors.Is(err, transport.ErrAuth) || err.Error() != want {
		t.Errorf("error is  %v\nwant      %s", err, want)
	}
	m.on(nil)
	conn := dial(t, c)
	m.on(func(r *request) reaction {
		if r.step == "Receive" {
			return reaction{status: 401}
		}
		return reaction{}
	})
	if got := run(t.Context(), conn, "x", nil); !errors.Is(got.err, transport.ErrAuth) {
		t.Errorf("in the middle: %v", got.err)
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	t.Run("a shell is renewed in time", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, func(*started) int { return 0 })
		conn := dial(t, c)
		for range winrm.MostCommands + 1 {
			if code, err := conn.Exec(t.Context(), transport.Process{Line: "x"}); code != 0 || err != nil {
				t.Fatal(code, err)
			}
		}
		if m.count("Create") != 2 || winrm.MostCommands*winrm.MostShells >= 1500 {
			t.Errorf("%d shells", m.count("Create"))
		}
	})
	t.Run("too many operations", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, echo)
		m.on(func(r *request) reaction {
			if r.step == "Command" && r.n == 1 {
				return reaction{fault: 2150859174}
			}
			return reaction{}
		})
		wantResult(t, run(t.Context(), dial(t, c), "once", nil), 7, "")
		wantRan(t, m, "once")
	})
	t.Run("fewer shells than wanted", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, func(p *started) int {
			time.Sleep(20 * time.Millisecond)
			return 0
		})
		m.on(func(r *request) reaction {
			if r.step == "Create" && len(m.shells) > 0 {
				return reaction{fault: 2150859173}
			}
			return reaction{}
		})
		conn := dial(t, c)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() { wantResult(t, run(t.Context(), conn, "x", nil), 0, "") })
		}
		all.Wait()
	})
	t.Run("no shell at all", func(t *testing.T) {
		t.Parallel()
		m, c := start(t, echo)
		m.on(func(*request) reaction { return reaction{fault: 2150859173} })
		_, err := winrm.Dial(t.Context(), c)
		if err == nil || !strings.Contains(err.Error(), "raise MaxShellsPerUser") {
			t.Errorf("error is %v", err)
		}
	})
}

func TestAMachineThatIsStarting(t *testing.T) {
	t.Parallel()
	m, c := start(t, echo)
	m.on(func(r *request) reaction {
		switch {
		case r.step == "Create" && r.n == 1:
			return reaction{fault: 2147942421}
		case r.step == "Create" && r.n == 2:
			return reaction{fault: 2147943418}
		}
		return reaction{}
	})
	wantResult(t, run(t.Context(), dial(t, c), "x", nil), 7, "")
}

func TestAnOutage(t *testing.T) {
	t.Parallel()
	for _, over := range []bool{true, false} {
		t.Run(fmt.Sprintf("is over in time: %v", over), func(t *testing.T) {
			t.Parallel()
			m, c := start(t, func(p *started) int { <-p.ctx.Done(); return 0 })
			deaf := false
			c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				m.mu.Lock()
				defer m.mu.Unlock()
				if deaf {
					return nil, errors.New("no route to host")
				}
				return new(net.Dialer).DialContext(ctx, network, address)
			}
			conn := dial(t, c)
			m.on(func(r *request) reaction {
				if deaf {
					return reaction{dropBefore: true}
				}
				if r.step != "Receive" || r.n != 2 {
					return reaction{}
				}
				deaf = true
				if over {
					time.AfterFunc(time.Second, func() {
						m.mu.Lock()
						defer m.mu.Unlock()
						deaf = false
						for _, s := range m.shells {
							for _, p := range s.commands {
								p.end()
							}
						}
					})
				}
				return reaction{dropBefore: true}
			})
			begin := time.Now()
			code, err := conn.Exec(t.Context(), transport.Process{Line: "once"})
			switch {
			case over && (err != nil || code != 0):
				t.Errorf("code %d, error %v", code, err)
			case !over && (!errors.Is(err, transport.ErrUnreachable) || !strings.Contains(err.Error(), "did not answer for")):
				t.Errorf("error is %v", err)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
			wantRan(t, m, "once")
		})
	}
}

// A machine that takes the request and never answers is given up.
func TestEveryCallHasADeadline(t *testing.T) {
	t.Parallel()
	for _, step := range []string{"Create", "Command", "Send", "Receive"} {
		t.Run(step, func(t *testing.T) {
			t.Parallel()
			m, c := start(t, echo)
			m.poll = 50 * time.Millisecond
			conn := dial(t, winrm.WithTimes(c, 100*time.Millisecond, 200*time.Millisecond, 500*time.Millisecond))
			m.reboot()
			silent := make(chan struct{})
			t.Cleanup(func() { close(silent) })
			m.on(func(r *request) reaction {
				if r.step == step {
					m.mu.Unlock()
					<-silent
					m.mu.Lock()
				}
				return reaction{}
			})
			begin := time.Now()
			got := run(t.Context(), conn, "x", nil)
			if !errors.Is(got.err, transport.ErrUnreachable) || !strings.Contains(got.err.Error(), step+": the connection was lost before the answer came: no answer within") {
				t.Errorf("error is %v", got.err)
			}
			if took := time.Since(begin); took > 20*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	m, c := start(t, func(p *started) int { <-p.ctx.Done(); return 1 })
	conn := dial(t, c)
	ctx, cancel := context.WithCancel(t.Context())
	m.on(func(r *request) reaction {
		if r.step == "Receive" {
			time.AfterFunc(20*time.Millisecond, cancel)
		}
		return reaction{}
	})
	got := run(ctx, conn, "x", nil)
	if !errors.Is(got.err, context.Canceled) || got.code != 0 {
		t.Errorf("code %d, error %v", got.code, got.err)
	}
	if m.open() != 0 || m.count("Signal") != 1 || m.count("Delete") < 1 {
		t.Errorf("%d shells are left after %d × Signal, %d × Delete", m.open(), m.count("Signal"), m.count("Delete"))
	}
}

func TestAnInputThatFailsKillsTheCommand(t *testing.T) {
	t.Parallel()
	m, c := start(t, echo)
	broken := errors.New("the file is damaged")
	got := run(t.Context(), dial(t, c), "x", io.MultiReader(strings.NewReader("part"), failingReader{broken}))
	if !errors.Is(got.err, broken) || m.open() != 0 {
		t.Errorf("%d shells, error %v", m.open(), got.err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// Letters that are split between two answers arrive whole.
func TestLettersAreNotSplit(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("日本語é😀", 20_000)
	_, c := start(t, func(p *started) int {
		for i := 0; i < len(text); i += 1001 {
			_, _ = io.WriteString(p.Stdout(), text[i:min(i+1001, len(text))])
		}
		return 0
	})
	wantResult(t, run(t.Context(), dial(t, c), "x", nil), 0, text)
}

func TestExitCodesAreThoseOfWindows(t *testing.T) {
	t.Parallel()
	code := 0
	_, c := start(t, func(*started) int { return code })
	conn := dial(t, c)
	for given, want := range map[int]int{0: 0, 3010: 3010, -1073741510: -1073741510, 3221225786: -1073741510} {
		code = given
		wantResult(t, run(t.Context(), conn, "x", nil), want, "")
	}
}

func TestTheMachinesCertificateIsPinned(t *testing.T) {
	t.Parallel()
	_, c := start(t, echo)
	_, other := start(t, echo)
	wrong := c
	wrong.Certificate = ownCertificate(t)
	_, err := winrm.Dial(t.Context(), wrong)
	if !errors.Is(err, transport.ErrHostKey) || !strings.Contains(err.Error(), "thumbprint") || !strings.Contains(err.Error(), strings.TrimSpace(c.Certificate)) {
		t.Errorf("error is %v", err)
	}
	unknown := c
	unknown.Certificate = ""
	if _, err := winrm.Dial(t.Context(), unknown); !errors.Is(err, transport.ErrHostKey) {
		t.Errorf("error is %v", err)
	}
	for _, text := range []string{"none", c.Certificate + other.Certificate} {
		broken := c
		broken.Certificate = text
		if _, err := winrm.Dial(t.Context(), broken); !errors.Is(err, transport.ErrHostKey) {
			t.Errorf("error is %v", err)
		}
	}
}

func TestClosingLeavesNothing(t *testing.T) {
	m, c := start(t, func(p *started) int { <-p.ctx.Done(); return 0 })
	before := runtime.NumGoroutine()
	conn, err := winrm.Dial(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := conn.Exec(t.Context(), transport.Process{Line: "x"})
		ended <- err
	}()
	for m.count("Receive") == 0 {
		time.Sleep(time.Millisecond)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if err := <-ended; !errors.Is(err, net.ErrClosed) {
		t.Errorf("error is %v", err)
	}
	if _, err := conn.Exec(t.Context(), transport.Process{Line: "x"}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("error is %v", err)
	}
	if m.open() != 0 {
		t.Errorf("%d shells are left", m.open())
	}
	deadline := time.Now().Add(10 * time.Second)
	for runtime.NumGoroutine() > before && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines, %d before", now, before)
	}
}

func TestNothingIsDialled(t *testing.T) {
	t.Parallel()
	_, c := start(t, echo)
	conn := dial(t, c)
	_, err := conn.Dial(t.Context(), "tcp", "127.0.0.1:80")
	if !errors.Is(err, errors.ErrUnsupported) || !strings.Contains(err.Error(), "dial tcp 127.0.0.1:80 from node1") {
		t.Errorf("error is %v", err)
	}
	if _, err := conn.Socket(t.Context(), "/run/x"); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("error is %v", err)
	}
}

package wsman_test

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"kinit/test/winsim/wsman"
)

// output receives until the command's end and returns its streams, decoded by hand
// only as far as the test needs: how many answers there were, and the last body.
func (c *client) untilDone(shell, command string) (answers int, all string) {
	c.t.Helper()
	for {
		r := c.post(receiveMessage(shell, command))
		if r.status != http.StatusOK {
			c.t.Fatalf("Receive: %s", r.code())
		}
		answers++
		all += r.body
		if strings.Contains(r.body, "CommandState/Done") {
			return answers, all
		}
	}
}

func TestExitCodesHaveAll32Bits(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	shell := c.open()
	for _, code := range []string{"0", "1", "259", "3221225786", "4294967295"} {
		_, all := c.untilDone(shell, c.command(shell, "exit "+code))
		if !strings.Contains(all, "<rsp:ExitCode>"+code+"</rsp:ExitCode>") {
			t.Errorf("exit %s: %s", code, all)
		}
	}
}

func TestAnswersFitIntoTheEnvelopeThatTheClientTakes(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	shell := c.open()
	command := c.command(shell, "zeros 100000")
	total := 0
	for done := false; !done; {
		r := c.post(message(shellNS+"Receive", selector(shell)+`<man:MaxEnvelopeSize>8192</man:MaxEnvelopeSize>`,
			`<sh:Receive><sh:DesiredStream CommandId="`+command+`">stdout stderr</sh:DesiredStream></sh:Receive>`))
		if r.status != http.StatusOK || len(r.body) > 8192 {
			t.Fatalf("status %d, %d bytes, code %s", r.status, len(r.body), r.code())
		}
		total += strings.Count(r.body, "MDAw")*3 + strings.Count(r.body, "MDA=")*2 + strings.Count(r.body, "MA==")
		done = strings.Contains(r.body, "CommandState/Done")
	}
	if total != 100000 {
		t.Errorf("received %d bytes, want 100000", total)
	}
}

func TestWhatIsTooLargeIs413(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *wsman.Options) { o.Settings.MaxEnvelopeSize = 16 << 10 })
	c := s.basic(t)
	shell := c.open()
	command := c.command(shell, "cat")
	r := c.post(sendMessage(shell, command, strings.Repeat("QUFB", 4<<10), ""))
	if r.err != nil || r.status != http.StatusRequestEntityTooLarge || r.body != "" {
		t.Errorf("status %d, body %q, error %v", r.status, r.body, r.err)
	}
	if got := c.post(message(transfer+"Create", `<man:MaxEnvelopeSize>8191</man:MaxEnvelopeSize>`, newShell)).code(); got != "2150858805" {
		t.Errorf("an answer of less than 8192 bytes: code %s", got)
	}
}

func TestAShellHasItsEnvironmentAndDirectory(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	shell := c.id(c.post(message(transfer+"Create", `<man:OptionSet><man:Option Name="WINRS_CODEPAGE">65001</man:Option></man:OptionSet>`,
		`<sh:Shell><sh:WorkingDirectory>C:\k</sh:WorkingDirectory><sh:Environment><sh:Variable Name="A">1</sh:Variable><sh:Variable Name="CITY">Ulm</sh:Variable></sh:Environment></sh:Shell>`)), "ShellId")
	_, all := c.untilDone(shell, c.command(shell, "about CITY"))
	const want = "QWRtaW5pc3RyYXRvciBpbiBDOlxrIHdpdGggVWxtIG9uIDY1MDAxDQo=" // Administrator in C:\k with Ulm on 65001
	if !strings.Contains(all, want) {
		t.Errorf("no %s in %s", want, all)
	}
}

func TestInterruptedAndTerminatedCommandsEnd(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	for _, signal := range []string{"ctrl_c", "ctrl_break"} {
		command := c.command(shell, "hang")
		if r := c.post(signalMessage(shell, command, signal)); r.status != http.StatusOK {
			t.Fatalf("%s: %s", signal, r.code())
		}
		if _, all := c.untilDone(shell, command); !strings.Contains(all, "<rsp:ExitCode>3221225786</rsp:ExitCode>") {
			t.Errorf("%s: %s", signal, all)
		}
	}
	command := c.command(shell, "hang")
	c.post(receiveMessage(shell, command)) // the first line
	aborted := make(chan reply, 1)
	held := s.Requests(wsman.Receive)
	go func() {
		aborted <- s.basic(t).post(strings.Replace(receiveMessage(shell, command), "PT1S", "PT30S", 1))
	}()
	waitFor(t, func() bool { return s.Requests(wsman.Receive) > held })
	if r := c.post(signalMessage(shell, command, "terminate")); r.status != http.StatusOK {
		t.Fatalf("terminate: %s", r.code())
	}
	if got := (<-aborted).code(); got != "995" && got != "2150858843" { // the latter when the signal overtook it
		t.Errorf("a Receive under way: code %s", got)
	}
	if got := c.post(signalMessage(shell, command, "terminate")).code(); got != "2150858843" {
		t.Errorf("terminate again: code %s", got)
	}
}

func TestTheEndIsReceivedOnce(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	shell := c.open()
	command := c.command(shell, "exit 0")
	c.untilDone(shell, command)
	if got := c.post(receiveMessage(shell, command)).code(); got != "2150858843" {
		t.Errorf("Receive again: code %s", got)
	}
	if got := c.post(sendMessage(shell, command, "QUFB", "")).code(); got != "2147942632" {
		t.Errorf("Send: code %s", got)
	}
	if r := c.post(signalMessage(shell, command, "terminate")); r.status != http.StatusOK {
		t.Errorf("terminate: %s", r.code())
	}
}

func TestInputWaitsForItsReader(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	shell := c.open()
	command := c.command(shell, "hang")
	chunk := strings.Repeat("QUFB", 32<<10) // 96 KiB
	for i := range 3 {
		if r := c.post(sendMessage(shell, command, chunk, "")); r.status != http.StatusOK {
			t.Fatalf("Send %d: %s", i+1, r.code())
		}
	}
	if got := c.post(sendMessage(shell, command, chunk, "")).code(); got != "2150858793" {
		t.Errorf("code %s, want OperationTimeout", got)
	}
}

func TestTwoReceivesOfACommandAreOneTooMany(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	command := c.command(shell, "cat")
	codes := make(chan string, 2)
	for range 2 {
		go func() { codes <- s.basic(t).post(receiveMessage(shell, command)).code() }()
	}
	if first, second := <-codes, <-codes; first != "2150858802" || second != "2150858793" {
		t.Errorf("codes %s and %s, want w:Concurrency and then w:TimedOut", first, second)
	}
}

func TestAReceiveThatIsGivenUpTakesNothing(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	command := c.command(shell, "cat")
	impatient := s.basic(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		r, _ := http.NewRequestWithContext(ctx, http.MethodPost, s.https, strings.NewReader(strings.Replace(receiveMessage(shell, command), "PT1S", "PT60S", 1)))
		r.Header = impatient.header
		_, err := impatient.http.Do(r)
		gone <- err
	}()
	waitFor(t, func() bool { return s.Requests(wsman.Receive) == 1 })
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	// The server learns of it on its own time: until then it is the one that receives.
	waitFor(t, func() bool { return c.post(receiveMessage(shell, command)).code() == strconv.Itoa(wsman.CodeTimedOut) })
	c.post(sendMessage(shell, command, "QUJD", ` End="true"`))
	if _, all := c.untilDone(shell, command); !strings.Contains(all, ">QUJD<") {
		t.Errorf("lost: %s", all)
	}
}

func TestMistakesHaveTheirCodes(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	shell := c.open()
	command := c.command(shell, "cat")
	receive := receiveMessage(shell, command)
	for name, m := range map[string]struct{ message, want string }{
		"not XML":                {"<a", "2150858817"},
		"unknown element":        {message(transfer+"Create", "", `<sh:Shell><sh:Colour>red</sh:Colour></sh:Shell>`), "2150858817"},
		"another body":           {message(transfer+"Create", "", `<sh:Signal/>`), "2150858791"},
		"unknown action":         {message(transfer+"Get", "", ""), "2150858771"},
		"unknown resource":       {strings.Replace(receive, "shell/cmd", "shell/sh", 1), "2150858752"},
		"no message id":          {strings.Replace(receive, "wsa:MessageID", "wsa:From", 2), "2150858769"},
		"time-out without unit":  {strings.Replace(receive, "PT1S", "1", 1), "2150858767"},
		"no command":             {strings.Replace(receive, command, "", 1), "87"},
		"unknown stream":         {strings.Replace(receive, "stdout stderr", "stdlog", 1), "87"},
		"unknown signal":         {signalMessage(shell, command, "hup"), "87"},
		"no shell":               {strings.Replace(receive, shell, "", 1), "2150858843"},
		"unknown code page":      {message(transfer+"Create", `<man:OptionSet><man:Option Name="WINRS_CODEPAGE">1</man:Option></man:OptionSet>`, newShell), "2150859072"},
		"idle for a second only": {message(transfer+"Create", "", `<sh:Shell><sh:IdleTimeOut>PT1S</sh:IdleTimeOut></sh:Shell>`), "2150859250"},
		"line without a reader":  {commandMessage(shell, strings.Repeat("x", 32760)), "2147942606"},
	} {
		if got := c.post(m.message).code(); got != m.want {
			t.Errorf("%s: code %s, want %s", name, got, m.want)
		}
	}
	r := c.post(message(transfer+"Create", `<x:Must xmlns:x="urn:x" env:mustUnderstand="true"/>`, newShell))
	if !strings.Contains(r.body, "<s:Code><s:Value>s:MustUnderstand</s:Value></s:Code>") {
		t.Errorf("unknown header: status %d, %s", r.status, r.body)
	}
}

func TestALineTooLongForCmdIsRefusedByIt(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	for length, want := range map[int]string{8191: "<rsp:ExitCode>0<", 8192: "<rsp:ExitCode>1<"} {
		_, all := c.untilDone(shell, c.command(shell, "echo "+strings.Repeat("x", length-len("echo "))))
		if !strings.Contains(all, want) {
			t.Errorf("%d characters: no %s", length, want)
		}
	}
}

func TestQuotas(t *testing.T) {
	t.Parallel()
	s := start(t, func(o *wsman.Options) { o.Settings.Quotas = wsman.Quotas{Shells: 2, Operations: 6, Processes: 2} })
	c := s.basic(t)
	first, second := c.open(), c.open()
	third := c.post(message(transfer+"Create", "", newShell))
	if third.code() != "2150859173" || !strings.Contains(third.body, "maximum number of 2 concurrent shells") || !strings.Contains(third.body, "w:QuotaLimit") {
		t.Errorf("a third shell: %s", third.body)
	}
	for range 2 {
		c.command(first, "cat")
	}
	if got := c.post(commandMessage(first, "cat")).code(); got != "2147944216" {
		t.Errorf("a third process: code %s", got)
	}
	for range 2 { // terminating does not lower the count
		c.post(signalMessage(second, c.command(second, "exit 0"), "terminate"))
	}
	if r := c.post(commandMessage(second, "exit 0")); r.code() != "2150859174" || !strings.Contains(r.body, "maximum number of 6 concurrent operations") {
		t.Errorf("a seventh operation: %s", r.body)
	}
	c.post(deleteMessage(second)) // this does
	c.command(c.open(), "exit 0")
	if got, want := len(s.Started()), 5; got != want {
		t.Errorf("%d commands ran, want %d: %s", got, want, strconv.Quote(strings.Join(s.Started(), ",")))
	}
}

func TestIdleShellsExpire(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	s.Expire()
	if got := c.post(commandMessage(shell, "echo")).code(); got != "2150858843" {
		t.Errorf("code %s", got)
	}
}

func TestAClientMayChooseIds(t *testing.T) {
	t.Parallel()
	c := start(t, nil).basic(t)
	const id = "aaaaaaaa-bbbb-cccc-dddd-eeeeeeeeeeee"
	ask := message(transfer+"Create", "", strings.Replace(newShell, "<sh:Shell>", `<sh:Shell ShellId="`+id+`">`, 1))
	shell := c.id(c.post(ask), "ShellId")
	if shell != strings.ToUpper(id) {
		t.Errorf("shell %s", shell)
	}
	if got := c.post(ask).code(); got != "2150859223" {
		t.Errorf("the same shell again: code %s", got)
	}
	run := strings.Replace(commandMessage(shell, "cat"), "<sh:CommandLine>", `<sh:CommandLine CommandId="`+id+`">`, 1)
	if command := c.id(c.post(run), "CommandId"); command != strings.ToUpper(id) {
		t.Errorf("command %s", command)
	}
	if got := c.post(run).code(); got != "2150859222" {
		t.Errorf("the same command again: code %s", got)
	}
}

func TestWhatTheMachineDoesNotKnowIsReported(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	if _, all := c.untilDone(shell, c.command(shell, "frobnicate")); !strings.Contains(all, "<rsp:ExitCode>4294967295<") {
		t.Errorf("%s", all)
	}
	if err := <-s.failed; err.Error() != `the machine has no program "frobnicate"` {
		t.Errorf("reported %v", err)
	}
}

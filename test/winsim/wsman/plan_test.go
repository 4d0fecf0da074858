package wsman_test

import (
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/test/winsim/wsman"
)

// waitFor waits until something is so.
func waitFor(t testing.TB, ready func() bool) {
	t.Helper()
	deadline := time.After(20 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !ready() {
		select {
		case <-deadline:
			t.Fatal("it has not come about for 20 seconds")
		case <-tick.C:
		}
	}
}

func TestADroppedCommandHasRunOnlyIfItWasHandled(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	s.Plan(
		wsman.Rule{Action: wsman.Command, Effect: wsman.Effect{DropBefore: true}},
		wsman.Rule{Action: wsman.Command, Skip: 1, Effect: wsman.Effect{DropAfter: true}},
	)
	for _, line := range []string{"echo before", "echo after"} {
		if r := c.post(commandMessage(shell, line)); !errors.Is(r.err, syscall.ECONNRESET) && !errors.Is(r.err, io.EOF) {
			t.Errorf("%s: status %d, error %v, not a reset", line, r.status, r.err)
		}
	}
	c.command(shell, "echo right")
	if got, want := s.Started(), []string{"echo after", "echo right"}; !slices.Equal(got, want) {
		t.Errorf("ran %q, want %q", got, want)
	}
	if got := s.Requests(wsman.Command); got != 3 {
		t.Errorf("%d requests, want 3", got)
	}
}

func TestFaultsAndStatusesComeWhenPlanned(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	s.Plan(
		wsman.Rule{Action: wsman.Create, Skip: 1, Effect: wsman.Effect{Fault: 2147943418}},
		wsman.Rule{Action: wsman.Create, Skip: 2, Times: 2, Effect: wsman.Effect{Status: http.StatusServiceUnavailable}},
		wsman.Rule{Action: wsman.Create, Skip: 4, Effect: wsman.Effect{Fault: 4711}},
		wsman.Rule{Action: wsman.Create, Skip: 5, Effect: wsman.Effect{Status: http.StatusUnauthorized}},
	)
	create := func() reply { return c.post(message(transfer+"Create", "", newShell)) }
	c.open()
	if r := create(); r.code() != "2147943418" || !strings.Contains(r.body, "marked for deletion") {
		t.Errorf("second: %s", r.body)
	}
	for range 2 {
		if r := create(); r.status != http.StatusServiceUnavailable || r.body != "" || r.header.Get("Content-Type") != "" {
			t.Errorf("status %d, type %q, body %q", r.status, r.header.Get("Content-Type"), r.body)
		}
	}
	if r := create(); r.code() != "4711" || !strings.Contains(r.body, "w:InternalError") {
		t.Errorf("fifth: %s", r.body)
	}
	if r := create(); r.status != http.StatusUnauthorized || !slices.Equal(r.header.Values("WWW-Authenticate"), []string{"Negotiate", `Basic realm="WSMAN"`}) {
		t.Errorf("sixth: status %d, %q", r.status, r.header.Values("WWW-Authenticate"))
	}
	c.open()
	if n := s.Shells(); n != 2 {
		t.Errorf("%d shells are open, want 2", n)
	}
}

func TestHalfAndEmptyAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	s.Plan(
		wsman.Rule{Effect: wsman.Effect{Truncate: 100}},
		wsman.Rule{Skip: 1, Effect: wsman.Effect{Empty: true}},
		wsman.Rule{Action: wsman.Receive, Effect: wsman.Effect{Pending: true}},
	)
	if r := c.post(message(transfer+"Create", "", newShell)); !errors.Is(r.err, io.ErrUnexpectedEOF) || len(r.body) != 100 {
		t.Errorf("error %v, %d bytes, want half an answer of 100", r.err, len(r.body))
	}
	r := c.post(message(transfer+"Create", "", newShell))
	if r.status != http.StatusOK || r.body != "" || r.header.Get("Content-Type") != "application/soap+xml;charset=UTF-8" {
		t.Errorf("status %d, type %q, body %q", r.status, r.header.Get("Content-Type"), r.body)
	}
	shell := c.open()
	if r := c.post(receiveMessage(shell, c.command(shell, "echo x"))); !strings.Contains(r.body, "CommandState/Pending") || strings.Contains(r.body, "rsp:Stream") {
		t.Errorf("Receive: %s", r.body)
	}
	if n := s.Shells(); n != 3 {
		t.Errorf("%d shells are open, want 3", n)
	}
}

func TestAHeldRequestGoesOnWhenItMay(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	hold := make(chan struct{})
	s.Plan(wsman.Rule{Effect: wsman.Effect{Wait: hold}})
	created := make(chan reply, 1)
	go func() { created <- c.post(message(transfer+"Create", "", newShell)) }()
	waitFor(t, func() bool { return s.Requests(wsman.Create) == 1 })
	if n := s.Shells(); n != 0 {
		t.Errorf("%d shells are open while the request is held", n)
	}
	close(hold)
	if r := <-created; r.status != http.StatusOK {
		t.Errorf("status %d, %v", r.status, r.err)
	}
}

func TestARebootCutsEverythingAndForgetsShells(t *testing.T) {
	t.Parallel()
	s := start(t, nil)
	c := s.basic(t)
	shell := c.open()
	command := c.command(shell, "cat")
	cut := make(chan error, 1)
	go func() {
		cut <- s.basic(t).post(strings.Replace(receiveMessage(shell, command), "PT1S", "PT60S", 1)).err
	}()
	waitFor(t, func() bool { return s.Requests(wsman.Receive) == 1 })
	s.Shutdown()
	if err := <-cut; err == nil {
		t.Error("a Receive under way was answered")
	}
	if r := s.basic(t).post(message(transfer+"Create", "", newShell)); r.err == nil {
		t.Errorf("answered while down: status %d", r.status)
	}
	s.Boot()
	again := s.basic(t)
	if got := again.post(receiveMessage(shell, command)).code(); got != "2150858843" {
		t.Errorf("the shell of before: code %s", got)
	}
	again.open()
}

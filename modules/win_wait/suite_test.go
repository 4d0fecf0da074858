package winwait

import (
	"net"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

func TestSuiteOfWhatIsSoAlready(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	for _, args := range []string{
		`service = "WinRM"`, `path = "C:/Windows"`, `script = "(Get-Service -Name WinRM).Status -eq 'Running'"`,
		"path = \"C:/none\"\ngone = true", "port = 1\ngone = true", "script = \"$false\"\ngone = true",
	} {
		moduletest.Run(t, moduletest.Case{New: func() module.Task { return moduletest.Decode(t, Kind(), args) }, Host: h, NoSteps: true})
	}
}

func TestWaitGoesOnWhenItIsSo(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	task := moduletest.Decode(t, Kind(), "path = \"C:/ready\"\nwithin = \"1m\"")
	put := make(chan struct{})
	go func() {
		defer close(put)
		for len(h.Reports()) == 0 && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		h.Put("C:/ready", "")
	}()
	if got := moduletest.Apply(t, task, h); got != "" {
		t.Error(got)
	}
	<-put
	if got := h.Reports()[0].Text; got != "wait for C:/ready, 0s: it is not there" {
		t.Errorf("progress %q", got)
	}
}

func TestErrorHasTheLastReason(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	for args, want := range map[string]string{
		`path = "C:/none"`:                                 "waited 500ms for C:/none: it is not there",
		"path = \"C:/Windows\"\ngone = true":               "waited 500ms for C:/Windows to be so no longer: it is still so",
		`service = "none"`:                                 "waited 500ms for service none to be running: it is not there",
		"service = \"WinRM\"\nservice_state = \"stopped\"": "waited 500ms for service WinRM to be stopped: it is Running",
		`script = "'no'"`:                                  `waited 500ms for 'no': the script printed "no" and not True`,
		`script = "throw 'broken'"`:                        "waited 500ms for throw 'broken': the script ended with code 1: broken",
	} {
		if got := moduletest.Apply(t, moduletest.Decode(t, Kind(), args+"\nwithin = \"500ms\""), h); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestPortIsReachedOverIPv6(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	h := winhost.New(t, winhost.Options{})
	task := moduletest.Decode(t, Kind(), "address = \"::1\"\nport = "+port+"\nwithin = \"20s\"")
	if got := moduletest.Apply(t, task, h); got != "" {
		t.Error(got)
	}
}

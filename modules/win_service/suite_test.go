package winservice

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), `name = "kinit-test"
path = "C:/Windows/System32/svchost.exe"
arguments = ["-k", "kinit test"]
display_name = "Kinit"
description = "for a test"
start = "delayed-auto"
dependencies = ["RpcSs"]
environment = { B = "2", A = "1" }
restart_after = ["5s", "1m"]
restart_on = ["x"]
state = "started"`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `name = "kinit-test"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

func TestRunningServiceFollowsWhatItWasStartedWith(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	const args = "name = \"kinit-test\"\npath = \"C:/Windows/System32/svchost.exe\"\nstate = \"started\"\n"
	for _, c := range []struct{ args, want string }{
		{args + "restart_on = [\"a\"]", `create service kinit-test: C:\Windows\System32\svchost.exe` + "\nstart service kinit-test"},
		{args + "restart_on = [\"a\"]", ""},
		{args + "restart_on = [\"b\"]", "restart service kinit-test, as what it was started with has changed"},
		{args + "restart_on = [\"b\"]\narguments = [\"-v\"]",
			"change service kinit-test: program\nrestart service kinit-test, as what it was started with has changed"},
		{"name = \"kinit-test\"\nstate = \"stopped\"\nstart = \"disabled\"", "change service kinit-test: start disabled\nstop service kinit-test"},
		{"name = \"kinit-test\"\nstate = \"stopped\"\nrestart_after = [\"5s\"]", "change service kinit-test: restart_after"},
		{"name = \"kinit-test\"\nstate = \"stopped\"\nrestart_after = []", "change service kinit-test: restart_after"},
		{"name = \"kinit-test\"\ndependencies = [\"RpcSs\", \"Tcpip\"]", "change service kinit-test: dependencies"},
		{"name = \"kinit-test\"\ndependencies = []", "change service kinit-test: dependencies"},
		{"name = \"kinit-test\"\naccount = \"NT AUTHORITY\\\\LocalService\"", `change service kinit-test: account NT AUTHORITY\LocalService`},
	} {
		if got := moduletest.Planned(t.Context(), decode(t, c.args), h); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
		if got := moduletest.Apply(t, decode(t, c.args), h); got != "" {
			t.Errorf("%q: %s", c.args, got)
		}
		if got := moduletest.Planned(t.Context(), decode(t, c.args), h); got != "" {
			t.Errorf("%q: still to do is %q", c.args, got)
		}
	}
}

// TestAServiceThatSomebodyElseStartsIsAsItWasMade is the kubelet, which kubeadm starts.
func TestAServiceThatSomebodyElseStartsIsAsItWasMade(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	const args = "name = \"kinit-test\"\npath = \"C:/Windows/System32/svchost.exe\"\n"
	for _, arguments := range []string{"", "arguments = [\"-v\"]"} {
		if got := moduletest.Apply(t, decode(t, args+arguments), h); got != "" {
			t.Fatal(got)
		}
		if err := h.Services.Start(t.Context(), "kinit-test"); err != nil {
			t.Fatal(err)
		}
		if got := moduletest.Planned(t.Context(), decode(t, args+arguments+"\nstate = \"started\""), h); got != "" {
			t.Errorf("%q: %q is planned, want nothing", arguments, got)
		}
		if err := h.Services.Stop(t.Context(), "kinit-test", false); err != nil {
			t.Fatal(err)
		}
	}
}

func TestServiceThatDoesNotStartSaysWhy(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	got := moduletest.Apply(t, decode(t, "name = \"kinit-test\"\npath = \"C:/none.exe\"\nstate = \"started\""), h)
	if want := "Das System kann die angegebene Datei nicht finden. Exit code "; !strings.HasPrefix(got, want) {
		t.Errorf("error %q, want %q", got, want)
	}
}

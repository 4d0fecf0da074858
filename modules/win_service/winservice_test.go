package winservice

import (
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

const kubelet = "name = \"kubelet\"\npath = \"C:/k/kubelet.exe\"\narguments = [\"--windows-service\"]\n"

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

// running is the kubelet as Windows has it, started by kinit with what kubelet says.
func running(t *testing.T) state {
	t.Helper()
	return state{There: true, State: "Running", Path: `C:\k\kubelet.exe --windows-service`, Start: 2, Account: "LocalSystem",
		Fingerprint: decode(t, kubelet).started(),
		// 24 h, three actions: restart after 10 s, after 30 s, after 30 s.
		Failure: []int{0x80, 0x51, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 20, 0, 0, 0,
			1, 0, 0, 0, 0x10, 0x27, 0, 0, 1, 0, 0, 0, 0x30, 0x75, 0, 0, 1, 0, 0, 0, 0x30, 0x75, 0, 0}}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args string
		have       func(*state)
		text, does string
	}{
		{"as it should be", kubelet + "state = \"started\"\nstart = \"auto\"\naccount = \"LocalSystem\"\nrestart_after = [\"10s\", \"30s\", \"30s\"]\n" +
			"dependencies = []", func(s *state) { s.Fingerprint = decode(t, kubelet+"account = \"LocalSystem\"").started() }, "", ""},
		{"missing", kubelet + "state = \"started\"", func(s *state) { *s = state{} },
			`create service kubelet: C:\k\kubelet.exe --windows-service`, "start"},
		{"other arguments", "name = \"kubelet\"\npath = \"C:/k/kubelet.exe\"\narguments = [\"--v=2\"]\nstate = \"started\"", nil,
			"change service kubelet: program", "restart, as what it was started with has changed"},
		{"stopped and to be started", kubelet + "state = \"started\"", func(s *state) { s.State = "Stopped" }, "", "start"},
		{"starting", kubelet + "state = \"started\"", func(s *state) { s.State = "StartPending" }, "", ""},
		{"to be stopped and disabled", "name = \"kubelet\"\nstate = \"stopped\"\nstart = \"disabled\"", nil, "change service kubelet: start disabled", "stop"},
		{"another configuration", kubelet + "restart_on = [\"a\"]", nil, "", "restart, as what it was started with has changed"},
		{"started by somebody else", kubelet, func(s *state) { s.Fingerprint = "" }, "", "restart, as it is not known what it was started with"},
		{"stopped with another configuration", kubelet + "restart_on = [\"a\"]", func(s *state) { s.State = "Stopped" }, "", ""},
		{"delayed", "name = \"kubelet\"\nstart = \"delayed-auto\"", nil, "change service kubelet: start delayed-auto", ""},
		{"not delayed", "name = \"kubelet\"\nstart = \"auto\"", func(s *state) { s.Delayed = true }, "change service kubelet: start auto", ""},
		{"manual counts no delay", "name = \"kubelet\"\nstart = \"manual\"", func(s *state) { s.Start, s.Delayed = 3, true }, "", ""},
		{"other dependencies", "name = \"kubelet\"\ndependencies = [\"b\", \"A\"]", func(s *state) { s.Dependencies = []string{"a"} }, "change service kubelet: dependencies", ""},
		{"dependencies in another order and case", "name = \"kubelet\"\ndependencies = [\"b\", \"A\"]", func(s *state) { s.Dependencies = []string{"a", "B"} }, "", ""},
		{"no recovery", "name = \"kubelet\"\nrestart_after = []", nil, "change service kubelet: restart_after", ""},
		{"no recovery as it should be", "name = \"kubelet\"\nrestart_after = []", func(s *state) { s.Failure = nil }, "", ""},
		{"a user without the machine", "name = \"kubelet\"\naccount = \"operator\"", func(s *state) {
			s.Account, s.Fingerprint = `.\Operator`, decode(t, "name = \"kubelet\"\naccount = \"operator\"").started()
		}, "", ""},
		{"texts", "name = \"kubelet\"\ndisplay_name = \"Kubelet\"\ndescription = \"node agent\"", nil, "change service kubelet: display name, description", ""},
		{"environment", "name = \"kubelet\"\nenvironment = { B = \"2\", A = \"1\" }", func(s *state) {
			s.Environment = []string{"A=1", "B=2"}
			s.Fingerprint = decode(t, "name = \"kubelet\"\nenvironment = { B = \"2\", A = \"1\" }").started()
		}, "", ""},
	} {
		have := running(t)
		if c.have != nil {
			c.have(&have)
		}
		d, err := decode(t, c.args).decide(have)
		if err != nil || d.text != c.text || d.action+d.why != c.does {
			t.Errorf("%s: %q, %q, %v, want %q, %q", c.name, d.text, d.action+d.why, err, c.text, c.does)
		}
	}
}

func TestImpossibleServicesAreErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		have state
		want string
	}{
		"missing":             {state{}, "there is no service kubelet, and no path to make one"},
		"marked for deletion": {state{There: true, Deleted: true}, "service kubelet is marked for deletion: close the programs that show it, or restart the host"},
	} {
		if _, err := decode(t, "name = \"kubelet\"\nstate = \"started\"").decide(c.have); err == nil || err.Error() != c.want {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestChangesAreInTheWordsOfWindows(t *testing.T) {
	t.Parallel()
	d, err := decode(t, "name = \"kubelet\"\npath = \"C:/Program Files/k/kubelet.exe\"\narguments = [\"--a=b c\"]\nstart = \"manual\"\n"+
		"restart_after = [\"5s\", \"1m\"]\nfailures_forgotten = \"1h\"\ndependencies = [\"containerd\", \"hns\"]").decide(state{})
	if err != nil {
		t.Fatal(err)
	}
	got := []string{*d.change.Path, *d.change.Start, d.change.Reset, *d.change.Actions, strings.Join(*d.change.Dependencies, "/")}
	want := []string{`"C:\Program Files\k\kubelet.exe" "--a=b c"`, "demand", "3600", "restart/5000/restart/60000", "containerd/hns"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`name = "a/b"`:                                            `name is "a/b", want the name of a service such as "containerd"`,
		"name = \"a\"\nstate = \"running\"":                       `state is "running", want one of started, stopped, absent`,
		"name = \"a\"\nstart = \"boot\"":                          `start is "boot", want one of auto, delayed-auto, manual, disabled`,
		"name = \"a\"\narguments = [\"b\"]":                       "arguments are those of the program, want path beside them",
		"name = \"a\"\npassword = \"b\"":                          "password is that of account, want it beside account",
		"name = \"a\"\nstate = \"started\"\nstart = \"disabled\"": "a disabled service cannot be started, want another start or state",
		"name = \"a\"\nrestart_after = [\"2d\"]":                  `restart_after has "2d", want durations such as "5s", at most 24h`,
		"name = \"a\"\nfailures_forgotten = \"soon\"":             `failures_forgotten is "soon", want a duration such as "24h"`,
		"name = \"a\"\ndependencies = [\"b/c\"]":                  `dependencies is ["b/c"], want names of services`,
		"name = \"a\"\npath = \"C:\\\\k\\\\kubelet.exe\"":         `path is "C:\\k\\kubelet.exe", want slashes: "C:/k/kubelet.exe"`,
	} {
		moduletest.Refused(t, decode(t, args), want)
	}
}

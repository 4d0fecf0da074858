package sysctl

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

const (
	forward = `name = "net.ipv4.ip_forward"` + "\n"
	proc    = "/proc/sys/net/ipv4/ip_forward"
	demo    = "/etc/sysctl.d/90-kinit-demo-net.ipv4.ip_forward.conf"
)

// kernel is a fake host on which tee writes below /proc.
func kernel(t *testing.T, owner string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, owner)
	h.FS.Put(proc, "0\n", 0o644)
	h.FS.Put("/proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n", 0o644)
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		if c.Argv[0] != "tee" {
			return moduletest.Reply{}, false
		}
		h.FS.Put(c.Argv[2], c.Stdin, 0o644)
		return moduletest.Reply{Stdout: c.Stdin, Changes: true}, true
	})
	return h
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for owner, after := range map[string]string{"demo": "0\n", "": "1\n"} {
		h := kernel(t, owner)
		moduletest.Run(t, moduletest.Case{
			New:    func() module.Task { return task(t, forward+`value = "1"`) },
			Absent: func() module.Task { return task(t, forward+`state = "absent"`) },
			Host:   h,
		})
		if got, _ := h.FS.Text(proc); got != after {
			t.Errorf("owner %q: value %q afterwards, want %q", owner, got, after)
		}
		moduletest.Marks(t, h)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, args, kept string
		want             []string
	}{
		{"other value", forward + `value = "1"`, "", []string{"set net.ipv4.ip_forward to 1, was 0", "write " + demo}},
		{"other value, not to be kept", forward + "value = \"1\"\npersistent = false", "", []string{"set net.ipv4.ip_forward to 1, was 0"}},
		{"right value, not kept", forward + `value = "0"`, "", []string{"write " + demo}},
		{"right value, kept", forward + `value = "0"`, "net.ipv4.ip_forward = 0\n", nil},
		{"right value, another kept", forward + `value = "0"`, "net.ipv4.ip_forward = 1\n", []string{"write " + demo}},
		{"several numbers", "name = \"net.ipv4.tcp_rmem\"\nvalue = \"4096  131072 6291456\"\npersistent = false", "", nil},
		{"not known yet", "name = \"net.bridge.bridge-nf-call-iptables\"\nvalue = \"1\"\npersistent = false", "",
			[]string{"set net.bridge.bridge-nf-call-iptables to 1"}},
		{"at least, lower", forward + "value = \"1\"\nleast = true", "", []string{"set net.ipv4.ip_forward to 1, was 0", "write " + demo}},
		{"at least, equal", forward + "value = \"0\"\nleast = true", "", nil},
		{"at least, higher", forward + "value = \"-1\"\nleast = true", "", nil},
		{"at least, higher, another kept", forward + "value = \"-1\"\nleast = true", "net.ipv4.ip_forward = 0\n", []string{"write " + demo}},
		{"at least, no number", "name = \"net.ipv4.tcp_rmem\"\nvalue = \"1\"\nleast = true\npersistent = false", "",
			[]string{"set net.ipv4.tcp_rmem to 1, was 4096 131072 6291456"}},
		{"absent, never set", forward + `state = "absent"`, "", nil},
		{"absent, kept only", forward + `state = "absent"`, "x", []string{"remove " + demo}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := kernel(t, "demo")
			if c.kept != "" {
				h.FS.Put(demo, c.kept, 0o644)
			}
			moduletest.WantTexts(t, task(t, c.args), h, c.want...)
		})
	}
}

func TestFirstValueIsKeptInTheMark(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	for _, value := range []string{"1", "2"} {
		moduletest.Do(t, task(t, forward+`value = "`+value+`"`), h)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "sysctl", ID: "net.ipv4.ip_forward", Prior: "0"}, module.Mark{Kind: "file", ID: demo})
}

func TestParameterThatIsHighEnoughStaysAndIsNotMarked(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	h.FS.Put(proc, "9\n", 0o644)
	least := forward + "value = \"8\"\nleast = true"
	moduletest.Do(t, task(t, least), h)
	moduletest.Marks(t, h)
	if got, _ := h.FS.Text(proc); got != "9\n" {
		t.Errorf("value %q, want 9", got)
	}
	if text, there := h.FS.Text(demo); there {
		t.Errorf("%s has %q, want no file", demo, text)
	}
}

func TestParameterThatIsTooLowIsRaisedMarkedAndBroughtBack(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	moduletest.Run(t, moduletest.Case{
		New:    func() module.Task { return task(t, forward+"value = \"8\"\nleast = true") },
		Absent: func() module.Task { return task(t, forward+"state = \"absent\"") },
		Host:   h,
	})
	moduletest.Marks(t, h)
	h.FS.Put(proc, "7\n", 0o644)
	moduletest.Do(t, task(t, forward+"value = \"8\"\nleast = true"), h)
	moduletest.Marks(t, h, module.Mark{Kind: "sysctl", ID: "net.ipv4.ip_forward", Prior: "7"}, module.Mark{Kind: "file", ID: demo})
	if got, _ := h.FS.Text(demo); got != "net.ipv4.ip_forward = 8\n" {
		t.Errorf("%s has %q", demo, got)
	}
}

func TestParameterThatARunHasRaisedBeforeItDiedGetsItsFile(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	made := task(t, forward+"value = \"8\"\nleast = true")
	if err := made.set(t.Context(), h); err != nil {
		t.Fatal(err)
	}
	moduletest.WantTexts(t, made, h, "write "+demo)
}

func TestParameterThatAnotherClusterHasRaisedGetsAFileOfItsOwn(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	h.FS.Put(proc, "8\n", 0o644)
	h.FS.Put("/etc/sysctl.d/90-kinit-other-net.ipv4.ip_forward.conf", "net.ipv4.ip_forward = 8\n", 0o644)
	made := task(t, forward+"value = \"8\"\nleast = true")
	moduletest.WantTexts(t, made, h, "write "+demo)
	moduletest.Do(t, made, h)
	moduletest.Marks(t, h, module.Mark{Kind: "file", ID: demo})
}

func TestValueThatAnotherClusterNeedsStays(t *testing.T) {
	t.Parallel()
	h := kernel(t, "demo")
	moduletest.Do(t, task(t, forward+`value = "1"`), h)
	h.FS.Put("/etc/sysctl.d/90-kinit-other-net.ipv4.ip_forward.conf", "net.ipv4.ip_forward = 1\n", 0o644)
	absent := task(t, forward+`state = "absent"`)
	want := []string{"remove " + demo, "release net.ipv4.ip_forward, which stays 1"}
	moduletest.WantTexts(t, absent, h, want...)
	moduletest.Do(t, absent, h)
	if got, _ := h.FS.Text(proc); got != "1\n" {
		t.Errorf("value %q, want 1", got)
	}
	moduletest.Marks(t, h)
}

func TestUnknownParameterIsExplained(t *testing.T) {
	t.Parallel()
	h := kernel(t, "")
	err := task(t, "name = \"net.bridge.x\"\nvalue = \"1\"").set(t.Context(), h)
	if want := "the kernel has no parameter net.bridge.x: is the module loaded that brings it?"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestSlashStandsForADotInAPart(t *testing.T) {
	t.Parallel()
	got := procPath("net.ipv4.conf.eth0/100.rp_filter")
	if want := "/proc/sys/net/ipv4/conf/eth0.100/rp_filter"; got != want {
		t.Errorf("path %s, want %s", got, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"name = \"forward\"\nvalue = \"1\"":             `name is "forward", want a kernel parameter such as "net.ipv4.ip_forward"`,
		"name = \"../etc/x\"\nvalue = \"1\"":            `name is "../etc/x", want a kernel parameter such as "net.ipv4.ip_forward"`,
		"name = \"a.b\"":                                `value is "", want one line of text`,
		"name = \"a.b\"\nvalue = \"1\\n2\"":             `value is "1\n2", want one line of text`,
		"name = \"a.b\"\nvalue = \"4 8\"\nleast = true": `value is "4 8", want a whole number, as least is set`,
		"name = \"a.b\"\nstate = \"removed\"":           `state is "removed", want one of present, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), strings.TrimSpace(args)).(*Task)
}

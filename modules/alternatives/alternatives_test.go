package alternatives

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/roottest"
)

// machine is this machine, where the name kinit-editor stands for /usr/bin/cat by priority,
// and can stand for /usr/bin/tac.
func machine(t *testing.T, owner string) *roottest.Host {
	t.Helper()
	h := roottest.New(t, owner, "update-alternatives")
	h.Shell(t, `for one in "cat 20" "tac 10"; do set -- $one
	update-alternatives --quiet --install /usr/bin/kinit-editor kinit-editor /usr/bin/$1 $2
done`)
	h.Ignore("/var/log")
	return h
}

func display(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, "LC_ALL=C update-alternatives --display $1 || :; readlink -f /usr/bin/kinit-editor", "kinit-editor")
}

func TestSuiteWithTheRealProgram(t *testing.T) {
	t.Parallel()
	for _, args := range []string{`path = "/usr/bin/tac"`, "path = \"/usr/bin/head\"\npriority = 90"} {
		h := machine(t, "demo")
		before := display(t, h)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, args) },
			Absent: func() module.Task { return task(t, args+"\nstate = \"absent\"") },
		})
		moduletest.Marks(t, h)
		moduletest.Same(t, "alternatives", display(t, h), before)
	}
}

func TestANewNameGoesAgain(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "update-alternatives")
	h.Ignore("/var/log")
	const args = "path = \"/usr/bin/head\"\nlink = \"/usr/bin/kinit-editor\""
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return task(t, args) },
		Absent: func() module.Task { return task(t, args+"\nstate = \"absent\"") },
	})
	moduletest.Marks(t, h)
	moduletest.Same(t, "link", h.Shell(t, "ls /usr/bin/kinit-editor 2>/dev/null || :"), "")
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	h := machine(t, "demo")
	for _, c := range []struct {
		args string
		want []string
	}{
		{`state = "auto"`, nil},
		{"path = \"/usr/bin/tac\"\nstate = \"present\"", nil},
		{`path = "/usr/bin/tac"`, []string{"choose /usr/bin/tac as kinit-editor, was /usr/bin/cat by priority"}},
		{`path = "/usr/bin/tac"`, nil},
		{`state = "auto"`, []string{"choose kinit-editor by priority, was /usr/bin/tac"}},
		{"path = \"/usr/bin/head\"\nstate = \"present\"", []string{"make /usr/bin/head an alternative of kinit-editor, priority 50"}},
		{`path = "/usr/bin/cat"`, []string{"choose /usr/bin/cat as kinit-editor, was /usr/bin/head by priority"}},
	} {
		made := task(t, c.args)
		moduletest.Same(t, c.args, roottest.Planned(t, h, made), c.want)
		moduletest.Settle(t, made, h)
	}
	moduletest.WantOutputs(t, task(t, `state = "auto"`), h, map[string]cty.Value{
		"path": cty.StringVal("/usr/bin/cat"), "auto": cty.False,
		"alternatives": cty.ListVal([]cty.Value{cty.StringVal("/usr/bin/cat"), cty.StringVal("/usr/bin/head"), cty.StringVal("/usr/bin/tac")}),
	})
	moduletest.Marks(t, h, module.Mark{Kind: "alternative_choice", ID: "kinit-editor", Prior: `{"path":"/usr/bin/cat","auto":true}`},
		module.Mark{Kind: "alternative", ID: "kinit-editor /usr/bin/head"})
}

func TestForeignAlternativeIsKept(t *testing.T) {
	t.Parallel()
	absent := task(t, "path = \"/usr/bin/tac\"\nstate = \"absent\"")
	moduletest.Same(t, "steps with an owner", roottest.Planned(t, machine(t, "demo"), absent), nil)
	moduletest.Same(t, "steps without one", roottest.Planned(t, machine(t, ""), absent), []string{"remove the alternative /usr/bin/tac of kinit-editor"})
}

func TestPathThatIsNoAlternative(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("update-alternatives", "--display", "kinit-editor").Fail(2, "no alternatives for kinit-editor")
	got := moduletest.Planned(t.Context(), task(t, `path = "/usr/bin/x"`), h)
	moduletest.Same(t, "error", got, "/usr/bin/x is no alternative of kinit-editor, want link, the path of kinit-editor, to make it one")
}

// update-alternatives would move the link of all alternatives.
func TestTheLinkOfANameStaysWhereItIs(t *testing.T) {
	t.Parallel()
	h := machine(t, "demo")
	const want = "kinit-editor has the link /usr/bin/kinit-editor, want it as link, or no link"
	moduletest.Same(t, "error", moduletest.Planned(t.Context(), task(t, "path = \"/usr/bin/head\"\nlink = \"/usr/bin/other-editor\""), h), want)
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, "path = \"/usr/bin/head\"\nlink = \"/usr/bin/kinit-editor\"\nstate = \"present\"")),
		[]string{"make /usr/bin/head an alternative of kinit-editor, priority 50"})
}

// TestTheProgramOfRedHat reads what its manual shows; it was not recorded.
func TestTheProgramOfRedHat(t *testing.T) {
	t.Parallel()
	got := parse("python - status is manual.\n link currently points to /usr/bin/python3\n/usr/bin/python2 - priority 10\n"+
		"/usr/bin/python3 - family python priority 20\nCurrent `best' version is /usr/bin/python3.\n", "python")
	want := state{value: "/usr/bin/python3", priorities: map[string]int{"/usr/bin/python2": 10, "/usr/bin/python3": 0}}
	if got.value != want.value || got.auto || !cmp.Equal(got.paths(), want.paths()) || got.priorities["/usr/bin/python2"] != 10 {
		t.Errorf("%+v, want %+v", got, want)
	}
	if !parse("python - status is auto.\n", "python").auto {
		t.Error("want it by priority")
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                  "path is empty, want the program that kinit-editor should stand for",
		"path = \"/x\"\nstate = \"auto\"":   `path is for a choice, want state = "auto" without it`,
		"path = \"x\"":                      `path is "x", want an absolute path`,
		"path = \"/x\"\nstate = \"chosen\"": `state is "chosen", want one of selected, present, auto, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), "name = \"kinit-editor\"\n"+args).(*Task)
}

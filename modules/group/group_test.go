package group_test

import (
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/group"
	"kinit/modules/internal/roottest"
)

func task(t *testing.T, args string) *group.Task {
	t.Helper()
	return moduletest.Decode(t, group.Kind(), args).(*group.Task)
}

func TestContract(t *testing.T) {
	t.Parallel()
	roottest.Contract(t, func(owner string) *roottest.Host { return roottest.New(t, owner, "groupadd") },
		func() module.Task { return task(t, "name = \"kinit-test-g\"\ngid = 4321\nsystem = true") },
		func() module.Task { return task(t, "name = \"kinit-test-g\"\nstate = \"absent\"") },
		func(h *roottest.Host) string { return h.Shell(t, "getent group kinit-test-g || true") })
}

func TestNumberChanges(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "groupadd")
	moduletest.Settle(t, task(t, `name = "kinit-test-g"`), h)
	changed := task(t, "name = \"kinit-test-g\"\ngid = 4321")
	steps := roottest.Planned(t, h, changed)
	if len(steps) != 1 {
		t.Fatalf("steps %q", steps)
	}
	moduletest.Settle(t, changed, h)
	moduletest.Same(t, "group", h.Shell(t, "getent group kinit-test-g"), "kinit-test-g:x:4321:\n")
	values, err := module.Outputs(t.Context(), changed, h)
	if err != nil || !values["gid"].RawEquals(cty.NumberIntVal(4321)) {
		t.Errorf("outputs %v, %v", values, err)
	}
	moduletest.Marks(t, h, module.Mark{Kind: "group", ID: "kinit-test-g"})
}

func TestForeignGroupIsUsedAndNotChanged(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "groupadd")
	h.Shell(t, "groupadd --gid 4321 kinit-test-g")
	moduletest.Same(t, "steps of the same", roottest.Planned(t, h, task(t, `name = "kinit-test-g"`)), nil)
	for _, args := range []string{"gid = 5", `state = "absent"`} {
		want := []string{"error: group kinit-test-g exists and is not owned by cluster demo: choose another name, or leave it as it is"}
		moduletest.Same(t, args, roottest.Planned(t, h, task(t, "name = \"kinit-test-g\"\n"+args)), want)
	}
	moduletest.Marks(t, h)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`name = "Debian-exim"`:             "",
		`name = "de:ploy"`:                 `name is "de:ploy", want a name such as "deploy"`,
		"name = \"a\"\ngid = -1":           `gid is -1, want 0 to 4294967293`,
		"name = \"a\"\nstate = \"latest\"": `state is "latest", want one of present, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

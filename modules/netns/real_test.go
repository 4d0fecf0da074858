package netns_test

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/roottest"
	"kinit/modules/netns"
	"kinit/modules/sweep"
)

const name = "kinit-test"

func task(t *testing.T, args string) *netns.Task {
	t.Helper()
	return moduletest.Decode(t, netns.Kind(), "name = \""+name+"\"\n"+args).(*netns.Task)
}

// machine has network namespaces of its own: their names are in its own /run.
func machine(t *testing.T, owner string) *roottest.Host {
	t.Helper()
	h := roottest.New(t, owner, "ip")
	t.Cleanup(func() {
		h.Shell(t, "for name in $(ls /run/netns 2>/dev/null); do ip netns del $name || umount -l /run/netns/$name; done")
	})
	return h
}

// namespaces are the names of those that are whole.
func namespaces(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return strings.TrimSpace(h.Shell(t, `for file in /run/netns/*; do [ ! -e "$file" ] || nsenter --net="$file" true; done; ip netns list | cut -d' ' -f1`))
}

// mark is that of the test's namespace.
func mark() module.Mark { return module.Mark{Kind: netns.Mark, ID: name} }

func TestContract(t *testing.T) {
	t.Parallel()
	roottest.Contract(t, func(owner string) *roottest.Host { return machine(t, owner) },
		func() module.Task { return task(t, "") },
		func() module.Task { return task(t, `state = "absent"`) },
		func(h *roottest.Host) string { return namespaces(t, h) })
}

func TestTheNamespaceIsMarkedAndItsLoopbackIsUp(t *testing.T) {
	t.Parallel()
	h := machine(t, "demo")
	made := task(t, "")
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"create network namespace kinit-test"})
	moduletest.Settle(t, made, h)
	moduletest.Marks(t, h, mark())
	values := moduletest.Outputs(t, made, h)
	moduletest.Same(t, "name and path", values["name"].AsString()+" "+values["path"].AsString(), "kinit-test /run/netns/kinit-test")
	moduletest.Same(t, "addresses", strings.Fields(h.Shell(t, `nsenter --net="$1" ip -o -4 address show`, values["path"].AsString()))[3], "127.0.0.1/8")
}

func TestNamespaceOfSomebodyElseIsRefused(t *testing.T) {
	t.Parallel()
	h := machine(t, "demo")
	h.Shell(t, "ip netns add kinit-test")
	want := `network namespace kinit-test exists and is not owned by cluster demo: use another name, or remove it with "ip netns del kinit-test" if nothing needs it`
	for _, args := range []string{"", `state = "absent"`} {
		if _, err := task(t, args).Plan(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
	moduletest.Marks(t, h)
	moduletest.Same(t, "namespaces", namespaces(t, h), name)
}

func TestTheBootScriptMakesItAgainAndMayBeRepeated(t *testing.T) {
	t.Parallel()
	h := machine(t, "demo")
	made := task(t, "")
	moduletest.Settle(t, made, h)
	values := moduletest.Outputs(t, made, h)
	script := values["boot_script"].AsString()
	id := func() string { return h.Shell(t, "stat -L -c %i /run/netns/kinit-test") }
	before := id()
	h.Shell(t, script)
	moduletest.Same(t, "the namespace after a script with nothing to do", id(), before)
	for _, gone := range []string{
		"ip netns del kinit-test",
		"umount -l /run/netns/kinit-test", // its file stays, as where /run outlives a boot
	} {
		h.Shell(t, gone)
		h.Shell(t, script)
		moduletest.Same(t, "namespaces after "+gone, namespaces(t, h), name)
		moduletest.Same(t, "steps after "+gone, len(roottest.Planned(t, h, made)), 0)
	}
}

func TestWhatAKilledRunHasHalfMadeIsCompleted(t *testing.T) {
	t.Parallel()
	for what, half := range map[string]string{
		"its file alone":      "mkdir -p /run/netns; : >/run/netns/kinit-test",
		"loopback not up yet": "ip netns add kinit-test",
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			h := machine(t, "demo")
			h.Shell(t, half)
			if err := h.Own(t.Context(), mark()); err != nil {
				t.Fatal(err)
			}
			made := task(t, "")
			moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"complete network namespace kinit-test"})
			moduletest.Settle(t, made, h)
			moduletest.Same(t, "namespaces", namespaces(t, h), name)
			moduletest.Same(t, "loopback", strings.Contains(h.Shell(t, "ip -n kinit-test link show dev lo"), ",UP"), true)
			moduletest.Settle(t, task(t, `state = "absent"`), h)
			moduletest.Marks(t, h)
		})
	}
}

func TestSweepUndoesItsMark(t *testing.T) {
	t.Parallel()
	h := machine(t, "demo")
	moduletest.Settle(t, task(t, ""), h)
	moduletest.Settle(t, moduletest.Decode(t, netns.Kind(), `name = "kinit-kept"`), h)
	h.Shell(t, "ip netns add theirs")
	made := moduletest.Decode(t, sweep.Kind(netns.Kind().Marks), "kinds = [\"netns\"]\nkeep = [\"kinit-kept\"]")
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"remove network namespace kinit-test"})
	moduletest.Settle(t, made, h)
	moduletest.Marks(t, h, module.Mark{Kind: netns.Mark, ID: "kinit-kept"})
	h.Shell(t, "ip netns del kinit-kept") // gone by itself, as by a boot
	moduletest.Settle(t, moduletest.Decode(t, sweep.Kind(netns.Kind().Marks), `all = true`), h)
	moduletest.Marks(t, h)
	moduletest.Same(t, "namespaces", namespaces(t, h), "theirs")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, bad := range []string{"", "a b", "../etc", "-a", "a/b", "a;b"} {
		err := module.Check(&netns.Task{Name: bad, Presence: module.Presence{State: "present"}})
		if err == nil || !strings.HasSuffix(err.Error(), `expected letters, digits, ".", "_" and "-"`) {
			t.Errorf("%q: %v", bad, err)
		}
	}
	moduletest.Refused(t, &netns.Task{Name: "a", Presence: module.Presence{State: "up"}}, `state is "up", want one of present, absent`)
}

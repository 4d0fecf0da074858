package hostname_test

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/hostname"
	"kinit/modules/internal/roottest"
)

func task(t *testing.T, args string) *hostname.Task {
	t.Helper()
	return moduletest.Decode(t, hostname.Kind(), args).(*hostname.Task)
}

func host(t *testing.T, owner string) *roottest.Host {
	t.Helper()
	h := roottest.New(t, owner)
	h.Shell(t, "echo kinit-test-old >/etc/hostname; echo kinit-test-old >/proc/sys/kernel/hostname")
	return h
}

func names(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, "uname -n; cat /etc/hostname 2>/dev/null || true")
}

func TestContract(t *testing.T) {
	t.Parallel()
	for owner, after := range map[string]string{
		"demo": "kinit-test-old\nkinit-test-old\n",
		"":     "kinit-test-new\nkinit-test-new\n", // the former state is unknown
	} {
		h := host(t, owner)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, `name = "kinit-test-new"`) },
			Absent: func() module.Task { return task(t, `state = "absent"`) },
		})
		moduletest.Same(t, "owner "+owner, names(t, h), after)
		moduletest.Marks(t, h)
	}
}

func TestEitherNameIsPutRight(t *testing.T) {
	t.Parallel()
	h := host(t, "demo")
	made := task(t, `name = "kinit-test-new.example"`)
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"name the host kinit-test-new.example, was kinit-test-old"})
	h.Shell(t, "echo kinit-test-new.example >/proc/sys/kernel/hostname; rm /etc/hostname")
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{`name the host kinit-test-new.example, was "" in /etc/hostname`})
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "names", names(t, h), "kinit-test-new.example\nkinit-test-new.example\n")
	mark := module.Mark{Kind: "hostname", ID: "name", Prior: `{"live":"kinit-test-new.example","kept":""}`}
	moduletest.Marks(t, h, mark)
	for range 2 {
		if err := hostname.Undo(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "names afterwards", names(t, h), "kinit-test-new.example\n")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "web_1", "-web", "web.", strings.Repeat("a", 64), strings.Repeat("a.", 33) + "a"} {
		want := `name is "` + name + `", want a host name such as "web1" or "web1.example", at most 64 bytes`
		moduletest.Refused(t, task(t, `name = "`+name+`"`), want)
	}
	if err := module.Check(task(t, `name = "1.Web-1.example"`)); err != nil {
		t.Error(err)
	}
}

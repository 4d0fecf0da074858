package winhns

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/test/winsim/winhost"
)

// withContainers is a host that has the host networking service.
func withContainers(t *testing.T) *winhost.Host {
	t.Helper()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	change, err := h.Features.Install([]string{"Containers"}, false, false)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Apply(change); err != nil {
		t.Fatal(err)
	}
	if err := h.Reboot(t.Context()); err != nil {
		t.Fatal(err)
	}
	return h
}

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New:    func() module.Task { return decode(t, external+"adapter = \"Ethernet\"") },
		Absent: func() module.Task { return decode(t, "name = \"External\"\nstate = \"absent\"") },
		Host:   withContainers(t),
	})
}

func TestNothingIsLeftOfTheJob(t *testing.T) {
	t.Parallel()
	h := withContainers(t)
	if got := moduletest.Apply(t, decode(t, external), h); got != "" {
		t.Fatal(got)
	}
	left, err := h.Files().List(t.Context(), "C:/ProgramData/kinit/jobs")
	if err != nil || len(left) != 0 {
		t.Errorf("%v is left, %v", left, err)
	}
	for _, task := range h.Tasks() {
		if task.Path == `\kinit\` {
			t.Errorf("the task %s is left", task.FullName())
		}
	}
}

func TestHostWithoutTheServiceIsAnError(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	if _, err := decode(t, external).Plan(t.Context(), h); err == nil {
		t.Error("no error")
	} else {
		t.Log(err)
	}
}

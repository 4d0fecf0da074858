package winhns

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/powershell"
	"kinit/test/winsim/machine"
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
	_, err := decode(t, external).Plan(t.Context(), h)
	if want := "the host has no host networking service: install the feature Containers"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestRestartInTheMiddleIsSaidAndMended(t *testing.T) {
	t.Parallel()
	h := withContainers(t)
	restarted := make(chan error, 1)
	var applied atomic.Bool // the job may begin and end between two looks
	go func() {
		for !running(h) && !applied.Load() && t.Context().Err() == nil {
			time.Sleep(time.Millisecond)
		}
		restarted <- h.Reboot(t.Context())
	}()
	got := moduletest.Apply(t, decode(t, external), h)
	applied.Store(true)
	if err := <-restarted; err != nil {
		t.Fatal(err)
	}
	if got != "" && got != "hns-create: "+powershell.ErrLost.Error() {
		t.Errorf("error %q, want none or one that says what is not known", got)
	}
	if again := moduletest.Apply(t, decode(t, external), h); again != "" {
		t.Errorf("the second time: %s", again)
	}
	if left := moduletest.Planned(t.Context(), decode(t, external), h); left != "" {
		t.Errorf("still to do: %s", left)
	}
}

// running reports whether a job has begun.
func running(h *winhost.Host) bool {
	for _, task := range h.Tasks() {
		if task.Path == `\kinit\` && task.LastResult == machine.TaskRunning {
			return true
		}
	}
	return false
}

package jobwait

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/job"
)

// start starts a job that this test collects or ends.
func start(t *testing.T, h module.Host, script string) job.Job {
	t.Helper()
	j := job.New()
	if err := j.Start(t.Context(), h, module.Command{Argv: []string{"sh", "-c", script}}, time.Minute); err != nil {
		t.Fatal(err)
	}
	return j
}

func waiting(t *testing.T, j job.Job, more string) module.Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), fmt.Sprintf("job = %q\npoll = \"20ms\"\n%s", j, more))
}

func TestItCollectsAJobOnce(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	j := start(t, h, "echo out; echo err >&2; exit 3")
	task := waiting(t, j, "ok_codes = [3]")
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"wait for the job"})
	got := moduletest.Outputs(t, task, h)
	moduletest.Same(t, "stdout and stderr", got["stdout"].AsString()+got["stderr"].AsString(), "out\nerr\n")
	code, _ := got["code"].AsBigFloat().Int64()
	moduletest.Same(t, "code", code, 3)
	moduletest.Same(t, "a second time", moduletest.Apply(t, waiting(t, j, ""), h), "the job's files are gone: its result was collected before")
}

func TestItReportsAFailedJob(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	got := moduletest.Apply(t, waiting(t, start(t, h, "echo why it failed; exit 3"), ""), h)
	if !strings.Contains(got, "3") || !strings.Contains(got, "why it failed") {
		t.Errorf("the error is %q", got)
	}
}

func TestAJobThatDoesNotEndInTimeGoesOn(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	j := start(t, h, "sleep 60")
	want := "the job does not end within 300ms; it goes on until its own time is up"
	moduletest.Same(t, "error", moduletest.Apply(t, waiting(t, j, `within = "300ms"`), h), want)
	if state, err := j.Look(t.Context(), h); err != nil || state != job.Running {
		t.Errorf("the job is %q, %v", state, err)
	}
	if err := j.Stop(t.Context(), h); err != nil {
		t.Error(err)
	}
}

// TestUnattendedJobIsLost: as after a restart of the host.
func TestUnattendedJobIsLost(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	j := start(t, h, "sleep 60")
	if _, err := h.Run(t.Context(), module.Command{Argv: []string{"sh", "-c", `read -r pid rest <"$1/started"; kill -KILL "-$pid"`, "sh", string(j)}}); err != nil {
		t.Fatal(err)
	}
	want := "the job has ended without a result: the host was restarted, or another run took over"
	moduletest.Same(t, "error", moduletest.Apply(t, waiting(t, j, ""), h), want)
}

func TestItRefusesWhatIsNoJob(t *testing.T) {
	t.Parallel()
	for _, value := range []string{"12", "/etc", "/var/tmp/kinit-job.x/../../etc"} {
		want := fmt.Sprintf("job: %q is no job: it is the output job of a task with async", value)
		moduletest.Refused(t, moduletest.Decode(t, Kind(), fmt.Sprintf("job = %q", value)), want)
	}
}

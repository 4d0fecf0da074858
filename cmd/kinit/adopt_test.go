package main

import (
	"testing"

	"kinit/cmd/kinit/ci/jobs"
)

func TestJobsAdoptWhereTheyAreTold(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		p := newProgram(t)
		o, err := p.ciRunner(&jobs.File{Folder: p.cwd}, nil, adopts).Options(jobs.Job{Spec: "site.hcl"})
		if err != nil || o.Adopt != adopts || o.Spec != "site.hcl" {
			t.Errorf("%v, adopts %v, want %v", err, o.Adopt, adopts)
		}
	}
}

func TestPlanTakesAdopt(t *testing.T) {
	t.Parallel()
	if o := given(t, newProgram(t, "plan", "site.hcl", "--adopt")); !o.Adopt {
		t.Error("the engine was not told")
	}
	if o := given(t, newProgram(t, "run", "site.hcl")); o.Adopt {
		t.Error("the engine adopts without being told")
	}
}

package main

import "testing"

func TestPlanTakesAdopt(t *testing.T) {
	t.Parallel()
	if o := given(t, newProgram(t, "plan", "site.hcl", "--adopt")); !o.Adopt {
		t.Error("the engine was not told")
	}
	if o := given(t, newProgram(t, "run", "site.hcl")); o.Adopt {
		t.Error("the engine adopts without being told")
	}
}

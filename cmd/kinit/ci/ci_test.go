package ci

import (
	"slices"
	"testing"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/modules"
)

func TestJobsAdoptWhereTheyAreTold(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		a := &app.App{Environ: []string{"HOME=" + t.TempDir()}, Kinds: modules.All}
		o, err := newRunner(a, &jobs.File{Folder: t.TempDir()}, nil, settings{adopt: adopts}).Options(jobs.Job{Spec: "site.hcl"})
		if err != nil || o.Adopt != adopts || o.Spec != "site.hcl" {
			t.Errorf("%v, adopts %v, want %v", err, o.Adopt, adopts)
		}
	}
}

// A job runs again after what it names is gone.
func TestJobRemovesWhatItNamesAndSaysHowMoreIsNamed(t *testing.T) {
	t.Parallel()
	a := &app.App{Environ: []string{"HOME=" + t.TempDir()}, Kinds: modules.All}
	o, err := options(a, &jobs.File{Folder: t.TempDir(), Path: "ci.hcl"}, jobs.Job{Name: "web", Spec: "site.hcl", Remove: []string{"web-02"}})
	if err != nil || !slices.Equal(o.Remove, []string{"web-02"}) || !o.Continues {
		t.Errorf("%v, removes %v, continues %v", err, o.Remove, o.Continues)
	}
	if got, want := o.NamesRemovals([]string{"web-03"}), `set remove = ["web-02", "web-03"] in job "web" of ci.hcl`; got != want {
		t.Errorf("advice is %s, want %s", got, want)
	}
}

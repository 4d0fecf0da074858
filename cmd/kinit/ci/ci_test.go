package ci

import (
	"testing"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/modules"
)

func TestJobsAdoptWhereTheyAreTold(t *testing.T) {
	t.Parallel()
	for _, adopts := range []bool{true, false} {
		a := &app.App{Environ: []string{"HOME=" + t.TempDir()}, Kinds: modules.All}
		o, err := newRunner(a, &jobs.File{Folder: t.TempDir()}, nil, adopts).Options(jobs.Job{Spec: "site.hcl"})
		if err != nil || o.Adopt != adopts || o.Spec != "site.hcl" {
			t.Errorf("%v, adopts %v, want %v", err, o.Adopt, adopts)
		}
	}
}

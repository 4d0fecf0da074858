package hostfile_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/hostfile"
)

func TestPutMarksOnlyWhatWasNotThere(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/etc/theirs", "old", 0o644)
	for _, name := range []string{"/etc/theirs", "/etc/a/b/ours", "/etc/a/b/ours"} {
		if err := hostfile.Put(t.Context(), h, name, "new", module.Attr{Mode: 0o600}); err != nil {
			t.Fatal(err)
		}
	}
	marks, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []module.Mark{
		{Kind: "directory", ID: "/etc/a"}, {Kind: "directory", ID: "/etc/a/b"}, {Kind: "file", ID: "/etc/a/b/ours", Sums: hostfile.Sum("new")},
	}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if text, _ := h.FS.Text("/etc/a/b/ours"); text != "new" {
		t.Errorf("content %q, want %q", text, "new")
	}
}

// Removing a folder removes all its content, which a user who names it by mistake does not want.
func TestAFolderIsNotDroppedAsAFile(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/srv/app/data", "text", 0o644)
	h.FS.Put("/srv/file", "text", 0o644)
	steps, err := hostfile.PlanDrop(t.Context(), h, "remove it by hand", "/srv/app")
	if want := "/srv/app is a folder, want a file or nothing there"; err == nil || err.Error() != want || len(steps) > 0 {
		t.Errorf("%d steps, error %v, want %s", len(steps), err, want)
	}
	steps, err = hostfile.PlanDrop(t.Context(), h, "remove it by hand", "/srv/nothing", "/srv/file")
	if err != nil || len(steps) != 1 {
		t.Errorf("%d steps, error %v, want the step for the file", len(steps), err)
	}
}

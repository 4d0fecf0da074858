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
		{Kind: "directory", ID: "/etc/a"}, {Kind: "directory", ID: "/etc/a/b"}, {Kind: "file", ID: "/etc/a/b/ours"},
	}
	if diff := cmp.Diff(want, marks); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
	if text, _ := h.FS.Text("/etc/a/b/ours"); text != "new" {
		t.Errorf("content %q, want %q", text, "new")
	}
}

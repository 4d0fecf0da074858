package sweep_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/manifest"
	"kinit/modules/sweep"
)

// withForeignFile is a host with folders of a cluster, in one of which somebody has put a file.
func withForeignFile(t *testing.T) *moduletest.FakeHost {
	t.Helper()
	h := host(t, module.Mark{Kind: "directory", ID: "/opt/lab"}, module.Mark{Kind: "directory", ID: "/opt/lab/web"}, module.Mark{Kind: "file", ID: "/opt/lab/web/conf"})
	h.FS.Put("/opt/lab/web/conf", "x", 0o644)
	h.FS.Put("/opt/lab/web/foreign", "x", 0o644)
	return h
}

func removeForeign(t *testing.T, h *moduletest.FakeHost) {
	t.Helper()
	if err := h.FS.Remove(t.Context(), "/opt/lab/web/foreign"); err != nil {
		t.Fatal(err)
	}
}

func exists(t *testing.T, h *moduletest.FakeHost, name string) bool {
	t.Helper()
	_, err := h.FS.Stat(t.Context(), name)
	return err == nil
}

func TestFolderWithForeignFilesKeepsItsMarkUntilItIsEmpty(t *testing.T) {
	t.Parallel()
	h := withForeignFile(t)
	for range 2 {
		sweeping := task(nil)
		moduletest.Settle(t, sweeping, h)
		out, err := sweeping.Outputs(t.Context(), h)
		if err != nil || out.Count != 0 {
			t.Errorf("left are %v, %v; want none", out.Names, err)
		}
		want := "folder /opt/lab stays: web in it stays; a run removes it once it is empty\n" +
			"folder /opt/lab/web stays: kinit did not make foreign in it; a run removes it once it is empty"
		if diff := cmp.Diff(want, sweeping.MessageText()); diff != "" {
			t.Error(diff)
		}
		if !exists(t, h, "/opt/lab/web/foreign") || exists(t, h, "/opt/lab/web/conf") {
			t.Error("want the foreign file alone")
		}
		if steps := moduletest.Steps(t, task(nil), h); len(steps) > 0 {
			t.Errorf("another sweep has %d steps", len(steps))
		}
	}
	removeForeign(t, h)
	moduletest.Settle(t, task(nil), h)
	if marks, err := h.Marks(t.Context()); exists(t, h, "/opt/lab") || len(marks) > 0 || err != nil {
		t.Errorf("the empty folder or its mark stays: %v, %v", marks, err)
	}
}

func TestLaterCleanUpRemovesAFolderThatHeldForeignFiles(t *testing.T) {
	t.Parallel()
	h := withForeignFile(t)
	first := task(all)
	moduletest.Settle(t, first, h)
	if exists(t, h, manifest.Folder) || !exists(t, h, "/opt/lab/web/foreign") {
		t.Error("want the foreign file, and no manifest")
	}
	out, err := first.Outputs(t.Context(), h)
	if err != nil || out.Count != 0 {
		t.Errorf("left are %v, %v; want none", out.Names, err)
	}
	if want := "folder /opt/lab/web stays: kinit did not make foreign in it; another clean-up removes it once it is empty"; !strings.Contains(first.MessageText(), want) {
		t.Errorf("the message is %q, want %q in it", first.MessageText(), want)
	}
	if steps := moduletest.Steps(t, task(all), h); len(steps) > 0 {
		t.Errorf("another clean-up has %d steps while the file is there", len(steps))
	}
	// The cluster is deployed again into the same folder, whose mark it does not have.
	if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: "/opt/lab/web/conf"}); err != nil {
		t.Fatal(err)
	}
	h.FS.Put("/opt/lab/web/conf", "x", 0o644)
	moduletest.Settle(t, task(func(s *sweep.Task) { s.Keep = []string{"/opt/lab/web/conf"} }), h)
	if !exists(t, h, "/opt/lab/web/conf") {
		t.Error("an ordinary sweep has removed what it keeps")
	}
	removeForeign(t, h)
	moduletest.Settle(t, task(all), h)
	for _, name := range []string{"/opt/lab", module.StateFolder} {
		if exists(t, h, name) {
			t.Errorf("%s stays", name)
		}
	}
}

func TestFolderThatACleanUpLeftIsRemovedWithoutAnyMark(t *testing.T) {
	t.Parallel()
	h := withForeignFile(t)
	moduletest.Settle(t, task(all), h)
	removeForeign(t, h)
	moduletest.Settle(t, task(all), h)
	for _, name := range []string{"/opt/lab", module.StateFolder} {
		if exists(t, h, name) {
			t.Errorf("%s stays", name)
		}
	}
	if steps := moduletest.Steps(t, task(all), h); len(steps) > 0 {
		t.Errorf("another clean-up has %d steps", len(steps))
	}
}

func TestFolderThatAnotherClusterHasMarkedStaysThoughACleanUpLeftIt(t *testing.T) {
	t.Parallel()
	h := withForeignFile(t)
	moduletest.Settle(t, task(all), h)
	removeForeign(t, h)
	mark(h, "other", "directory", "x.json", "/opt/lab/web")
	moduletest.Settle(t, task(all), h)
	if !exists(t, h, "/opt/lab/web") {
		t.Error("the folder of the other cluster is gone")
	}
}

func TestWhatReplacesAFolderThatACleanUpLeftStays(t *testing.T) {
	t.Parallel()
	h := withForeignFile(t)
	moduletest.Settle(t, task(all), h)
	if err := h.FS.Remove(t.Context(), "/opt/lab/web"); err != nil {
		t.Fatal(err)
	}
	h.FS.Put("/opt/lab/web", "of somebody", 0o644)
	moduletest.Settle(t, task(all), h)
	if text, _ := h.FS.Text("/opt/lab/web"); text != "of somebody" {
		t.Errorf("the foreign file has %q", text)
	}
}

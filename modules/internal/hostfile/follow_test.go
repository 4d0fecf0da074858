package hostfile_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/hostfile"
)

func TestLinksAreFollowedWhereOnlyTheOwnerCanChangeThem(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	for _, err := range []error{
		os.MkdirAll(h.Path("closed", "deep"), 0o755), os.Mkdir(h.Path("open"), 0o755), os.Chmod(h.Path("open"), 0o777),
		os.WriteFile(h.Path("closed", "deep", "file"), []byte("x"), 0o600),
		os.Symlink("deep/file", h.Path("closed", "first")), os.Symlink(h.Path("closed", "first"), h.Path("closed", "second")),
		os.Symlink(h.Path("closed", "deep", "file"), h.Path("open", "link")), os.Symlink("none", h.Path("closed", "dangling")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	at, info, err := hostfile.Follow(t.Context(), h, h.Path("closed", "second"))
	if at != h.Path("closed", "deep", "file") || info.Size != 1 || err != nil {
		t.Errorf("%s with %d bytes, %v", at, info.Size, err)
	}
	if _, _, err := hostfile.Follow(t.Context(), h, h.Path("closed", "dangling")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a link to nothing: %v", err)
	}
	_, _, err = hostfile.Follow(t.Context(), h, h.Path("open", "link"))
	want := h.Path("open", "link") + " is a link in a folder that other users can change, and is not followed: give the path of the file itself"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

package download

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// fullHost is a machine whose disk is full when the client has written a part.
type fullHost struct {
	*moduletest.Local
	code int
}

func (h fullHost) Run(ctx context.Context, c module.Command) (module.Output, error) {
	out, err := h.Local.Run(ctx, c)
	if err != nil || filepath.Base(c.Argv[0]) != "curl" {
		return out, err
	}
	return out, &module.ExitError{Command: "curl", Code: h.code, Stderr: "curl: (23) Failure writing output to destination"}
}

func TestPartForWhichThereWasNoSpaceGoes(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]bool{23: false, 28: true} { // 28: nothing arrived for too long
		local := moduletest.LocalHost(t, "")
		h := fullHost{local, code}
		got := moduletest.Apply(t, task(t, local, fmt.Sprintf("url = \"%s/file\"\nsha256 = \"%s\"", serve(t).URL, sha(payload()))), h)
		if !strings.Contains(got, fmt.Sprintf("ended with code %d", code)) {
			t.Errorf("error %q", got)
		}
		if _, err := os.Stat(local.Path("dest.part")); (err == nil) != want {
			t.Errorf("code %d: the part: %v", code, err)
		}
	}
}

// The owner of the folder has put links at the names that a download could use: the file
// comes to its place, and what the links lead to stays as it is.
func TestDownloadIntoAFolderOfAnotherUser(t *testing.T) {
	t.Parallel()
	need.Root(t, "hostile")
	h := moduletest.LocalHost(t, "demo")
	victim, home := h.Path("victim"), h.Path("home")
	write(t, victim, []byte("root's"))
	if err := os.Mkdir(home, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"dest", "dest.part", "dest.kinit-sum"} {
		if err := os.Symlink(victim, filepath.Join(home, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(home, 65533, 65533); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(home, "dest")); err != nil { // of the others kinit would say that it is not its own
		t.Fatal(err)
	}
	args := fmt.Sprintf("dest = \"%s/dest\"\nurl = \"%s/file\"\nsha256 = \"%s\"\nowner = \"65533\"\nmode = \"0755\"", home, serve(t).URL, sha(payload()))
	fetch := moduletest.Decode(t, Kind(), args)
	if got := moduletest.Apply(t, fetch, h); got != "" {
		t.Fatal(got)
	}
	if got := moduletest.Planned(t.Context(), moduletest.Decode(t, Kind(), args), h); got != "" {
		t.Errorf("again: %q, want nothing to do", got)
	}
	info, err := h.Files().Stat(t.Context(), home+"/dest")
	if err != nil || info.UID != 65533 || info.Mode != 0o755 || string(read(t, home+"/dest")) != string(payload()) {
		t.Errorf("the file: %+v, %v", info, err)
	}
	info, err = h.Files().Stat(t.Context(), victim)
	if err != nil || info.UID != 0 || info.Mode != 0o644 || string(read(t, victim)) != "root's" {
		t.Errorf("root's file: %+v, %v", info, err)
	}
}

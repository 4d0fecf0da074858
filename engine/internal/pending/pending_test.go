package pending

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/internal/host"
	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/test/winsim/winhost"
)

func note(playbook, task string) Note {
	return Note{Playbook: playbook, Spec: playbook, Handler: "handler.command.reload", Host: "web", Task: task, Since: time.Date(2026, 11, 27, 10, 0, 0, 0, time.UTC)}
}

// here is the file system of this machine.
func here(t *testing.T) module.Files {
	t.Helper()
	pool := host.NewConnections(func(_ context.Context, name string) (host.Settings, error) {
		return host.Settings{Name: name, Local: true}, nil
	}, &secret.Redactor{})
	t.Cleanup(func() { _ = pool.Close() })
	machine, err := pool.Get(t.Context(), "localhost")
	if err != nil {
		t.Fatal(err)
	}
	return machine.Bind("", nil).Files()
}

func TestNotesAreKeptOnLinuxAndWindows(t *testing.T) {
	t.Parallel()
	linux := filepath.Join(t.TempDir(), "kinit", "pending")
	for name, c := range map[string]struct {
		files  module.Files
		folder string
	}{
		"Linux":   {here(t), linux},
		"Windows": {winhost.New(t, winhost.Options{}).Files(), module.WindowsStateFolder + Folder},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			read := func(playbook string, want ...Note) {
				t.Helper()
				got, err := Read(t.Context(), c.files, c.folder, playbook)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(byTask(want), byTask(got.Own)); diff != "" {
					t.Error(diff)
				}
			}
			read("shop") // without a folder
			if err := c.files.Mkdir(t.Context(), c.folder, module.Attr{Mode: 0o700}); err != nil {
				t.Fatal(err)
			}
			one, two, other := note("shop", `task.copy.conf["web"]`), note("shop", "task.copy.more"), note("blog", "task.copy.more")
			for _, n := range []Note{one, two, other, two} {
				if err := Write(t.Context(), c.files, c.folder, n); err != nil {
					t.Fatal(err)
				}
			}
			read("shop", one, two)
			read("blog", other)
			for range 2 {
				if err := Remove(t.Context(), c.files, c.folder, one); err != nil {
					t.Fatal(err)
				}
			}
			read("shop", two)
			if info, err := c.files.Stat(t.Context(), two.Path(c.folder)); name == "Linux" && (err != nil || info.Mode != 0o600) {
				t.Errorf("the file has the mode %s, %v", info.Mode, err)
			}
		})
	}
}

func byTask(notes []Note) map[string]Note {
	all := map[string]Note{}
	for _, n := range notes {
		all[n.Task] = n
	}
	return all
}

// A file that kinit has not written is named, so that it can be removed, and hides no notification.
func TestFileThatIsNoNoteIsNamed(t *testing.T) {
	t.Parallel()
	folder, files := t.TempDir(), here(t)
	good := note("shop", "task.copy.conf")
	if err := Write(t.Context(), files, folder, good); err != nil {
		t.Fatal(err)
	}
	bad := filepath.Join(folder, prefix("shop")+"x.json")
	if err := os.WriteFile(bad, []byte(`{"playbook":"shop"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := Read(t.Context(), files, folder, "shop")
	if want := bad + " is no notification that kinit has written; remove it"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if len(got.Own) != 1 || !got.Own[0].Same(good) {
		t.Errorf("got %v", got)
	}
}

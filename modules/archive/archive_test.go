package archive

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.tar", "a.tar.gz", "a.tgz", "a.tar.xz", "a.txz", "a.tar.zst", "a.zip"} {
		for _, owner := range []string{"", "demo"} {
			t.Run(name+" owner "+owner, func(t *testing.T) {
				t.Parallel()
				h := moduletest.LocalHost(t, owner)
				fill(t, h)
				moduletest.Run(t, moduletest.Case{
					New:    func() module.Task { return task(t, h, name, `mode = "0600"`) },
					Absent: func() module.Task { return task(t, h, name, `state = "absent"`) },
					Host:   h,
				})
				entries, err := os.ReadDir(h.Dir)
				if err != nil || len(entries) != 1 {
					t.Errorf("left: %v, %v, want the source only", entries, err)
				}
				if marks, err := h.Marks(t.Context()); err != nil || len(marks) > 0 {
					t.Errorf("marks %v, %v, want none", marks, err)
				}
			})
		}
	}
}

// fill makes a folder with every type of entry.
func fill(t *testing.T, h *moduletest.Local) {
	t.Helper()
	script := `mkdir -p src/dir/empty src/logs && cd src && printf one >'dir/two words' && printf x >-dash &&
		printf secret >logs/a.log && ln -s dir/nothing link && chmod 0750 dir && touch -d @1700000000 dir/* -- -dash`
	moduletest.Shell(t, h.Dir, script)
}

func TestArchiveHasTheTreeButWhatIsExcluded(t *testing.T) {
	t.Parallel()
	want := []string{"-dash", "dir/", "dir/empty/", "dir/two words", "link", "logs/"}
	for name, lister := range map[string][]string{
		"a.tar.gz": {"tar", "--list", "--file"},
		"a.zip":    {"unzip", "-Z1"},
	} {
		h := moduletest.LocalHost(t, "")
		fill(t, h)
		if got := moduletest.Apply(t, task(t, h, name, `exclude = ["*.log"]`), h); got != "" {
			t.Fatal(got)
		}
		out, err := exec.Command(lister[0], append(lister[1:], h.Path(name))...).Output()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, strings.Split(strings.TrimSpace(string(out)), "\n")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestSameTreeGivesTheSameBytes(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.tar.gz", "a.tar.xz", "a.tar.zst", "a.zip"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := moduletest.LocalHost(t, "")
			fill(t, h)
			first := made(t, h, name)
			time.Sleep(2100 * time.Millisecond) // gzip knows seconds, and zip only even ones
			if first != made(t, h, name) {
				t.Error("it differs when it is made again")
			}
		})
	}
}

// made is the content of an archive that is made, and removed.
func made(t *testing.T, h *moduletest.Local, name string) string {
	t.Helper()
	if got := moduletest.Apply(t, task(t, h, name), h); got != "" {
		t.Fatal(got)
	}
	text, err := os.ReadFile(h.Path(name))
	if err == nil {
		err = os.Remove(h.Path(name))
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestEveryChangeOfTheTreeIsNoticed(t *testing.T) {
	t.Parallel()
	for _, change := range []string{
		"printf 'on' >'dir/two words'", "touch new", "rm -- -dash", "chmod 0700 dir", "ln -sfn elsewhere link",
		"touch -d @1700000001 'dir/two words'", "mkdir dir/empty/too", "mv logs/a.log logs/b.log",
	} {
		h := moduletest.LocalHost(t, "demo")
		fill(t, h)
		if got := moduletest.Apply(t, task(t, h, "a.tar"), h); got != "" {
			t.Fatal(got)
		}
		cmd := exec.Command("sh", "-ec", change)
		cmd.Dir = h.Path("src")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", change, err, out)
		}
		got := moduletest.Planned(t.Context(), task(t, h, "a.tar"), h)
		if !strings.HasPrefix(got, "recreate archive "+h.Path("a.tar")+" of "+h.Path("src")+", ") {
			t.Errorf("after %s: %q", change, got)
		}
	}
}

func TestChangedArchiveOrOneOfAnotherFormatIsRecreated(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	fill(t, h)
	if got := moduletest.Apply(t, task(t, h, "a.tar"), h); got != "" {
		t.Fatal(got)
	}
	again := "recreate archive " + h.Path("a.tar") + " of " + h.Path("src") + ", 7 entries"
	if got := moduletest.Planned(t.Context(), task(t, h, "a.tar", `format = "zip"`), h); got != again {
		t.Errorf("format: %q, want %q", got, again)
	}
	if err := os.WriteFile(h.Path("a.tar"), []byte("broken"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := moduletest.Planned(t.Context(), task(t, h, "a.tar"), h); got != again {
		t.Errorf("content: %q, want %q", got, again)
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	fill(t, h)
	if err := os.WriteFile(h.Path("theirs.tar"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Path("src/line\nend"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ dest, args, want string }{
		{"theirs.tar", "", h.Path("theirs.tar") + " exists, is not what " + h.Path("src") + " gives, and is not owned by cluster demo: move it away"},
		{"theirs.tar", `state = "absent"`, h.Path("theirs.tar") + " exists and is not owned by cluster demo: remove it yourself if nothing needs it"},
		{"src", "format = \"tar\"\nsource = \"" + h.Path("theirs.tar") + "\"", "source " + h.Path("theirs.tar") + " is no folder, want one to pack"},
		{"x.zip", "", "a name in " + h.Path("src") + " has a line end in it, which zip cannot read: use tar.gz"},
	} {
		args := `dest = "` + h.Path(c.dest) + "\"\n" + c.args
		if !strings.Contains(args, "source") {
			args += "\nsource = \"" + h.Path("src") + `"`
		}
		if got := moduletest.Apply(t, moduletest.Decode(t, Kind(), args), h); got != c.want {
			t.Errorf("%s: %q, want %q", c.dest, got, c.want)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	fill(t, h)
	task := task(t, h, "a.tar")
	if got := moduletest.Apply(t, task, h); got != "" {
		t.Fatal(got)
	}
	got, err := module.Outputs(t.Context(), task, h)
	if err != nil || !got["path"].RawEquals(cty.StringVal(h.Path("a.tar"))) || !got["size"].RawEquals(cty.NumberIntVal(10240)) {
		t.Errorf("outputs %#v, %v", got, err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`dest = "/a.rar"`:                                      `source is empty, want an absolute path`,
		"dest = \"/a.rar\"\nsource = \"/s\"":                   `format is "" and dest "a.rar", want tar, tar.gz, tar.xz, tar.zst or zip`,
		"dest = \"/a.rar\"\nsource = \"/s\"\nformat = \"7z\"":  `format is "7z" and dest "a.rar", want tar, tar.gz, tar.xz, tar.zst or zip`,
		"dest = \"/a.rar\"\nsource = \"/s\"\nformat = \"tar\"": "",
		"dest = \"/s/a.tar\"\nsource = \"/s\"":                 "dest /s/a.tar is in source /s, want it elsewhere: the archive would be in itself",
		"dest = \"/a.tar\"\nsource = \"/s\"\nexclude = [\"\"]": `exclude has an empty pattern, want paths below source such as "*.log"`,
		"dest = \"/a.tar\"\nstate = \"absent\"":                "",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}

// task is an archive of the folder src, in the host's own folder.
func task(t *testing.T, h *moduletest.Local, dest string, args ...string) module.Task {
	t.Helper()
	all := append([]string{`source = "` + h.Path("src") + `"`, `dest = "` + h.Path(dest) + `"`}, args...)
	return moduletest.Decode(t, Kind(), strings.Join(all, "\n"))
}

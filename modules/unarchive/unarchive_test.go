package unarchive

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// pack makes an archive of a folder that a script fills, and returns its path.
func pack(t *testing.T, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	packer := map[string]string{
		".zip": `zip -q -r -y "$0" .`, ".tar": `tar -cf "$0" .`, ".tgz": `tar -czf "$0" *`, ".zst": `tar --zstd -cf "$0" .`,
		".xz": `tar -cJf "$0" .`, ".tbz2": `tar -cjf "$0" .`,
	}[filepath.Ext(name)]
	moduletest.Shell(t, dir, "mkdir src && cd src && { "+script+"; } && "+strings.ReplaceAll(packer, `"$0"`, "../"+name))
	return filepath.Join(dir, name)
}

// release fills a folder like the one of a release.
const release = `mkdir -p app-1/bin app-1/conf && printf run >app-1/bin/app && chmod 0755 app-1/bin/app && printf a=1 >app-1/conf/app.conf &&
	ln -s bin/app "app-1/the app" && touch -d @1700000000 app-1/bin/app`

func sum(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	all := sha256.Sum256(text)
	return hex.EncodeToString(all[:])
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.tar", "a.tgz", "a.tar.xz", "a.tbz2", "a.tar.zst", "a.zip"} {
		for _, owner := range []string{"", "demo"} {
			t.Run(name+" owner "+owner, func(t *testing.T) {
				t.Parallel()
				h := moduletest.LocalHost(t, owner)
				archive := pack(t, name, release)
				moduletest.Run(t, moduletest.Case{
					New:    func() module.Task { return task(t, h, `source = "`+archive+`"`, `strip = 1`) },
					Absent: func() module.Task { return task(t, h, `state = "absent"`) },
					Host:   h,
				})
				if entries, err := os.ReadDir(h.Path("new")); err != nil && !os.IsNotExist(err) || len(entries) > 0 {
					t.Errorf("left: %v, %v", entries, err)
				}
				for _, m := range marks(t, h) {
					if m.Kind != "directory" {
						t.Errorf("mark %v is left", m)
					}
				}
			})
		}
	}
}

func TestSuiteFetchesFromAURL(t *testing.T) {
	t.Parallel()
	archive := pack(t, "a.tgz", release)
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(archive))))
	t.Cleanup(server.Close)
	h := moduletest.LocalHost(t, "demo")
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return task(t, h, `url = "`+server.URL+`/a.tgz?x=1"`, `sha256 = "`+strings.ToUpper(sum(t, archive))+`"`)
		},
		Host: h,
	})
	check(t, h, "", ".kinit-unarchive-ID.json", "app-1", "app-1/bin", "app-1/bin/app", "app-1/conf", "app-1/conf/app.conf", "app-1/the app")
	want := []module.Mark{{Kind: "directory", ID: h.Path("new")}, {Kind: "tree", ID: h.Path("new/dest")}}
	if diff := cmp.Diff(want, marks(t, h)); diff != "" {
		t.Errorf("marks (-want +got):\n%s", diff)
	}
}

func TestSuiteOfAnArchiveOnTheHost(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	archive := pack(t, "a.zip", release)
	made := func() module.Task {
		return task(t, h, `archive = "`+archive+`"`, `creates = "`+h.Path("new/dest/app-1/bin/app")+`"`)
	}
	moduletest.Run(t, moduletest.Case{New: made, Host: h})
	moduletest.Shell(t, h.Dir, "rm -r new/dest/app-1/conf && echo changed >>new/dest/app-1/bin/app")
	if got := moduletest.Planned(t.Context(), made(), h); got != "" {
		t.Errorf("with creates: %q, want nothing to do", got)
	}
}

func TestUnpackedFilesAreAsInTheArchive(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", release)+`"`, `strip = 1`), h)
	check(t, h, "", ".kinit-unarchive-ID.json", "bin", "bin/app", "conf", "conf/app.conf", "the app")
	info, err := os.Stat(h.Path("new/dest/bin/app"))
	if err != nil || info.Mode() != 0o755 || info.ModTime().Unix() != 1700000000 {
		t.Errorf("mode %v, time %v, %v", info.Mode(), info.ModTime().Unix(), err)
	}
	if target, err := os.Readlink(h.Path("new/dest/the app")); err != nil || target != "bin/app" {
		t.Errorf("link %q, %v", target, err)
	}
}

func TestEveryDamageIsRepaired(t *testing.T) {
	t.Parallel()
	archive := pack(t, "a.tgz", release)
	for damage, want := range map[string]string{
		"rm bin/app":              "1 of its entries are missing or differ, such as bin/app",
		"printf x >conf/app.conf": "1 of its entries are missing or differ, such as conf/app.conf",
		"chmod 0700 bin":          "1 of its entries are missing or differ, such as bin",
		"ln -sfn x 'the app'":     "1 of its entries are missing or differ, such as the app",
		"rm -r bin && touch bin":  "2 of its entries are missing or differ, such as bin",
	} {
		h := moduletest.LocalHost(t, "")
		made := func() module.Task { return task(t, h, `source = "`+archive+`"`, `strip = 1`) }
		moduletest.Do(t, made(), h)
		moduletest.Shell(t, h.Path("new/dest"), damage+"; touch mine")
		if got := moduletest.Planned(t.Context(), made(), h); got != "unpack a.tgz into "+h.Path("new/dest")+" again: "+want {
			t.Errorf("%s: %q, want %q", damage, got, want)
		}
		if strings.Contains(damage, "touch bin") {
			moduletest.Shell(t, h.Path("new/dest"), "rm bin") // a file where a folder belongs is for people to decide
		}
		moduletest.Do(t, made(), h)
		if got := moduletest.Planned(t.Context(), made(), h); got != "" {
			t.Errorf("%s, repaired: %q", damage, got)
		}
		check(t, h, damage, ".kinit-unarchive-ID.json", "bin", "bin/app", "conf", "conf/app.conf", "mine", "the app")
	}
}

func TestAnotherArchiveTakesThePlaceOfTheFirst(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	first := pack(t, "a.tgz", release)
	second := pack(t, "b.tgz", "mkdir -p app-2/bin && printf new >app-2/bin/app2 && printf r >app-2/README")
	moduletest.Do(t, task(t, h, `source = "`+first+`"`, `strip = 1`), h)
	moduletest.Shell(t, h.Path("new/dest"), "touch conf/mine")
	next := func() module.Task { return task(t, h, `source = "`+second+`"`, `strip = 1`) }
	if got, want := moduletest.Planned(t.Context(), next(), h), "unpack b.tgz into "+h.Path("new/dest")+" in place of another archive"; got != want {
		t.Errorf("step %q, want %q", got, want)
	}
	moduletest.Do(t, next(), h)
	check(t, h, "", ".kinit-unarchive-ID.json", "README", "bin", "bin/app2", "conf", "conf/mine")
	moduletest.Do(t, task(t, h, `state = "absent"`), h)
	check(t, h, "absent", "conf", "conf/mine")
}

func TestKeptFilesBelongToOthersOnceTheyAreThere(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	archive := pack(t, "a.tgz", release)
	made := func() module.Task { return task(t, h, `source = "`+archive+`"`, `strip = 1`, `keep = ["conf/*.conf"]`) }
	moduletest.Do(t, made(), h)
	moduletest.Shell(t, h.Path("new/dest"), "echo b=2 >conf/app.conf")
	if got := moduletest.Planned(t.Context(), made(), h); got != "" {
		t.Errorf("after an edit: %q, want nothing to do", got)
	}
	moduletest.Shell(t, h.Path("new/dest"), "rm bin/app")
	moduletest.Do(t, made(), h)
	text, err := os.ReadFile(h.Path("new/dest/conf/app.conf"))
	if err != nil || string(text) != "b=2\n" {
		t.Errorf("kept file: %q, %v", text, err)
	}
}

func TestDamagedArchiveLeavesTheFolderAsItIs(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	good := pack(t, "a.tgz", release)
	moduletest.Do(t, task(t, h, `source = "`+good+`"`, `strip = 1`), h)
	bad := filepath.Join(t.TempDir(), "bad.tgz")
	text, err := os.ReadFile(good)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(bad, text[:len(text)-20], 0o600); err != nil {
		t.Fatal(err)
	}
	got := moduletest.Apply(t, task(t, h, `source = "`+bad+`"`, `strip = 1`), h)
	if !strings.HasPrefix(got, "unpack bad.tgz: command ended with code 2: tar: Error ") {
		t.Errorf("error %q", got)
	}
	if got := moduletest.Planned(t.Context(), task(t, h, `source = "`+good+`"`, `strip = 1`), h); got != "" {
		t.Errorf("the first archive, planned: %q, want nothing to do", got)
	}
	left, err := filepath.Glob(filepath.Join(h.Path("new/dest"), ".kinit-unarchive*"))
	if err != nil || len(left) != 1 || filepath.Ext(left[0]) != ".json" {
		t.Errorf("it left %q, %v, want only the manifest", left, err)
	}
}

func TestWhatIsRefused(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	archive := pack(t, "a.tgz", release)
	moduletest.Shell(t, h.Dir, "mkdir theirs")
	zeros := strings.Repeat("0", 64)
	for _, c := range []struct{ args, want string }{
		{`source = "` + archive + "\"\ndest = \"" + h.Path("theirs") + `"`,
			h.Path("theirs") + " exists and is not owned by cluster demo: give the archive a folder of its own"},
		{`source = "` + archive + "\"\nstrip = 9\ndest = \"" + h.Path("x") + `"`, "strip = 9 leaves nothing of a.tgz"},
		{`source = "` + archive + "\"\nsha256 = \"" + zeros + "\"\ndest = \"" + h.Path("y") + `"`,
			"sha256 of a.tgz is " + sum(t, archive) + ", want " + zeros + ": it is another archive, or was damaged on the way"},
		{`archive = "` + archive + "\"\nsha256 = \"" + zeros + "\"\ndest = \"" + h.Path("z") + `"`,
			"sha256 of a.tgz is " + sum(t, archive) + ", want " + zeros + ": it is another archive, or was damaged on the way"},
		{"archive = \"/no/such.tgz\"\ndest = \"" + h.Path("z") + `"`, "archive: lstat /no/such.tgz: no such file or directory"},
	} {
		if got := moduletest.Apply(t, moduletest.Decode(t, Kind(), c.args), h); got != c.want {
			t.Errorf("%s: %q, want %q", c.args, got, c.want)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	archive := pack(t, "a.tgz", release)
	task := task(t, h, `archive = "`+archive+`"`)
	moduletest.Do(t, task, h)
	got, err := module.Outputs(t.Context(), task, h)
	if err != nil || !got["sha256"].RawEquals(cty.StringVal(sum(t, archive))) || !got["path"].RawEquals(cty.StringVal(h.Path("new/dest"))) {
		t.Errorf("outputs %#v, %v", got, err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``: "want exactly one of source, archive and url",
		"source = \"a.tar\"\narchive = \"/b.tar\"": "want exactly one of source, archive and url",
		`url = "http://x/a.tar"`:                   "sha256 is missing, want the checksum of what is at url",
		"source = \"a.tar\"\nsha256 = \"12\"":      `sha256 is "12", want 64 hex digits`,
		"source = \"a.tar\"\nstrip = -1":           "strip is -1, want 0 or more",
		`archive = "a.tar"`:                        `archive is "a.tar", want an absolute path`,
		`source = "a.rar"`:                         `format is "" and the archive "a.rar", want tar or zip`,
		"source = \"a.tar\"\nformat = \"rar\"":     `format is "rar" and the archive "a.tar", want tar or zip`,
		"source = \"a\"\nformat = \"zip\"":         "",
		"source = \"a.zip\"\nkeep = [\"[\"]":       `keep has "[", which is no pattern: syntax error in pattern`,
		`state = "absent"`:                         "",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), "dest = \"/d\"\n"+args), want)
	}
}

// task unpacks into new/dest in the host's own folder.
func task(t *testing.T, h *moduletest.Local, args ...string) module.Task {
	t.Helper()
	return named(t, h, "app", args...)
}

// named is such a task of a playbook.
func named(t *testing.T, h *moduletest.Local, name string, args ...string) module.Task {
	t.Helper()
	made := moduletest.Decode(t, Kind(), strings.Join(append(args, `dest = "`+h.Path("new/dest")+`"`), "\n"))
	made.(module.Addressed).Called("site.hcl task.unarchive." + name)
	return made
}

var manifestID = regexp.MustCompile("-[0-9a-f]{12}")

// check compares the names in the folder, at any depth, with those that should be
// there.
func check(t *testing.T, h *moduletest.Local, what string, want ...string) {
	t.Helper()
	var got []string
	root := h.Path("new/dest")
	err := filepath.WalkDir(root, func(path string, _ os.DirEntry, err error) error {
		if path != root {
			got = append(got, manifestID.ReplaceAllString(strings.TrimPrefix(path, root+"/"), "-ID"))
		}
		return err
	})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%s: %v (-want +got):\n%s", what, err, diff)
	}
}

func marks(t *testing.T, h module.Host) []module.Mark {
	t.Helper()
	all, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// placed lists the files of the folder.
func placed(t *testing.T, h *moduletest.Local) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", `cd "$1" && find . -mindepth 1 ! -name '.kinit*' | sort | tr '\n' ' '`, "sh", h.Path("new", "dest")).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestOnlyTheChosenEntriesAreUnpacked(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a.tgz", "a.zip"} {
		archive := pack(t, name, release+" && mkdir app-1/doc && printf b >app-1/doc/b")
		for choice, want := range map[string]string{
			`include = ["bin"]`: "./bin ./bin/app ",
			"include = [\"bin/*\", \"conf/*.conf\"]\nexclude = [\"bin/app\"]": "./conf ./conf/app.conf ",
			`exclude = ["conf", "doc/*", "the*"]`:                             "./bin ./bin/app ./doc ",
		} {
			h := moduletest.LocalHost(t, "demo")
			moduletest.Do(t, task(t, h, `source = "`+archive+`"`, `strip = 1`, choice), h)
			moduletest.Same(t, name+" "+choice, placed(t, h), want)
			moduletest.Same(t, "a second plan", moduletest.Planned(t.Context(), task(t, h, `source = "`+archive+`"`, `strip = 1`, choice), h), "")
		}
	}
}

func TestAnotherChoiceRemovesWhatItLeavesOut(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	archive := pack(t, "a.tgz", release)
	moduletest.Do(t, task(t, h, `source = "`+archive+`"`, `strip = 1`), h)
	next := task(t, h, `source = "`+archive+`"`, `strip = 1`, `exclude = ["conf"]`)
	moduletest.WantTexts(t, next, h, "unpack a.tgz into "+h.Path("new", "dest")+", with another choice of entries")
	moduletest.Do(t, next, h)
	moduletest.Same(t, "files", placed(t, h), "./bin ./bin/app ./the app ")
	got := moduletest.Apply(t, task(t, h, `source = "`+archive+`"`, `strip = 1`, `include = ["lib"]`), h)
	moduletest.Same(t, "error", got, "include and exclude leave nothing of a.tgz")
}

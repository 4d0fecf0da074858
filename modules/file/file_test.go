package file

import (
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/fileattr"
)

// hosts runs a test on the real machine and in memory, with and without owner.
func hosts(t *testing.T, run func(t *testing.T, h module.Host, dir string)) {
	for _, owner := range []string{"", "demo"} {
		t.Run("local owner "+owner, func(t *testing.T) {
			t.Parallel()
			h := moduletest.LocalHost(t, owner)
			run(t, h, h.Dir)
		})
		t.Run("memory owner "+owner, func(t *testing.T) {
			t.Parallel()
			run(t, moduletest.NewFakeHost(t, owner), "/tmp")
		})
	}
}

func TestSuiteOfFile(t *testing.T) {
	t.Parallel()
	hosts(t, func(t *testing.T, h module.Host, dir string) {
		moduletest.Run(t, moduletest.Case{
			New: func() module.Task {
				return &Task{Path: dir + "/f", State: "present", Want: fileattr.Want{Mode: "0600"}}
			},
			Absent: func() module.Task { return &Task{Path: dir + "/f", State: "absent"} },
			Host:   h,
		})
		noMarks(t, h)
	})
}

func TestSuiteOfDirectory(t *testing.T) {
	t.Parallel()
	hosts(t, func(t *testing.T, h module.Host, dir string) {
		moduletest.Run(t, moduletest.Case{
			New: func() module.Task {
				return &DirectoryTask{Path: dir + "/a/b/c", Presence: module.Presence{State: "present"}, Mode: "0700"}
			},
			Absent: func() module.Task {
				return &DirectoryTask{Path: dir + "/a/b/c", Presence: module.Presence{State: "absent"}}
			},
			Host: h,
		})
		noMarks(t, h)
	})
}

func TestSuiteOfLink(t *testing.T) {
	t.Parallel()
	hosts(t, func(t *testing.T, h module.Host, dir string) {
		moduletest.Run(t, moduletest.Case{
			New: func() module.Task {
				return &LinkTask{Path: dir + "/l", Target: "elsewhere", Presence: module.Presence{State: "present"}}
			},
			Absent: func() module.Task { return &LinkTask{Path: dir + "/l", Presence: module.Presence{State: "absent"}} },
			Host:   h,
		})
		noMarks(t, h)
	})
}

// noMarks checks that an absent task left nothing behind.
func noMarks(t *testing.T, h module.Host) {
	t.Helper()
	if marks := marksOf(t, h); len(marks) > 0 {
		t.Errorf("marks %v are left", marks)
	}
}

func marksOf(t *testing.T, h module.Host) []module.Mark {
	t.Helper()
	marks, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return marks
}

// prepare fills a host: a file, a folder, a link, and a marked one of each.
func prepare(t *testing.T, owner string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, owner)
	h.FS.Put("/d/file", "x", 0o644)
	h.FS.Put("/d/ours", "x", 0o644)
	for link, target := range map[string]string{"/d/link": "a", "/d/ourlink": "a"} {
		if err := h.FS.Symlink(t.Context(), target, link); err != nil {
			t.Fatal(err)
		}
	}
	h.FS.Put("/d/taken", "x", 0o644)
	h.FS.Put("/d/taken.kinit-backup", "old", 0o644)
	if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: "/d/taken", Prior: "/d/taken.kinit-backup"}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/d/ours", "/d/ourlink"} {
		if err := h.Own(t.Context(), module.Mark{Kind: "file", ID: path}); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		kind module.Kind
		args string
		want string // the step, or the error
	}{
		{"file is missing", Kind(), `path = "/d/new"`, "create /d/new"},
		{"file is missing, with attributes", Kind(), "path = \"/d/new\"\nstate = \"present\"\nmode = \"0600\"\nowner = \"root\"", "create /d/new, mode 0600, owner root"},
		{"file is missing, and only its mode is asked for", Kind(), "path = \"/d/new\"\nmode = \"0600\"",
			"/d/new is missing: set state = \"present\" to make an empty file, or make it with a task before"},
		{"file is as it should be", Kind(), "path = \"/d/file\"\nmode = \"0644\"\nowner = \"0\"", ""},
		{"file has another mode", Kind(), "path = \"/d/file\"\nmode = \"0600\"\ngroup = \"adm\"", "set /d/file: mode 0644 to 0600, group root to adm"},
		{"file is a folder", Kind(), `path = "/d"`, "/d is a folder, want a regular file or nothing there"},
		{"file to remove is ours", Kind(), "path = \"/d/ours\"\nstate = \"absent\"", "remove /d/ours"},
		{"file to remove is not ours", Kind(), "path = \"/d/file\"\nstate = \"absent\"",
			"/d/file exists and is not owned by cluster demo: remove it yourself if nothing needs it"},
		{"file to remove is a link", Kind(), "path = \"/d/ourlink\"\nstate = \"absent\"", "remove /d/ourlink"},
		{"file to remove took the place of another", Kind(), "path = \"/d/taken\"\nstate = \"absent\"",
			"restore /d/taken from /d/taken.kinit-backup"},
		{"file to remove is a folder", Kind(), "path = \"/d\"\nstate = \"absent\"", "/d is a folder, want a file or nothing there"},
		{"file to remove is gone", Kind(), "path = \"/d/new\"\nstate = \"absent\"", ""},
		{"folder is missing", DirectoryKind(), "path = \"/d/x/y\"\nmode = \"0750\"", "create folder /d/x/y, mode 0750"},
		{"folder is there", DirectoryKind(), `path = "/d"`, ""},
		{"folder has another mode", DirectoryKind(), "path = \"/d\"\nmode = \"0700\"", "set /d: mode 0755 to 0700"},
		{"folder is a file", DirectoryKind(), `path = "/d/file"`, "/d/file is a regular file, want a folder or nothing there"},
		{"folder is a link", DirectoryKind(), `path = "/d/link"`, "/d/link is a link to a, want a folder or nothing there"},
		{"folder to remove is not ours", DirectoryKind(), "path = \"/d\"\nstate = \"absent\"",
			"/d exists and is not owned by cluster demo: remove it yourself if nothing needs it"},
		{"link is missing", LinkKind(), "path = \"/d/new\"\ntarget = \"b\"", "link /d/new to b"},
		{"link is there", LinkKind(), "path = \"/d/link\"\ntarget = \"a\"", ""},
		{"link of ours leads elsewhere", LinkKind(), "path = \"/d/ourlink\"\ntarget = \"b\"", "link /d/ourlink to b instead of a"},
		{"foreign link leads elsewhere", LinkKind(), "path = \"/d/link\"\ntarget = \"b\"",
			"/d/link is a link to a and is not owned by cluster demo: remove it yourself if nothing needs it"},
		{"link is a file", LinkKind(), "path = \"/d/file\"\ntarget = \"b\"", "/d/file is a regular file, want a link or nothing there: force = true replaces it"},
		{"link is a file of ours, by force", LinkKind(), "path = \"/d/ours\"\ntarget = \"b\"\nforce = true", "replace file /d/ours by a link to b"},
		{"link is a foreign file, by force", LinkKind(), "path = \"/d/file\"\ntarget = \"b\"\nforce = true",
			"/d/file is a regular file and is not owned by cluster demo: remove it yourself if nothing needs it"},
		{"link is a folder, by force", LinkKind(), "path = \"/d\"\ntarget = \"b\"\nforce = true", "/d is a folder, want a link or nothing there"},
		{"absent link is a file", LinkKind(), "path = \"/d/ours\"\nstate = \"absent\"", "/d/ours is a regular file, want a link or nothing there"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := moduletest.Planned(t.Context(), moduletest.Decode(t, c.kind, c.args), prepare(t, "demo")); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestALinkReplacesAFileByForce(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	if err := os.WriteFile(h.Path("l"), []byte("old"), 0o644); err != nil {
		t.Fatal(err)
	}
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, LinkKind(), "path = \""+h.Path("l")+"\"\ntarget = \"b\"\nforce = true")
		},
		Host: h,
	})
	entries, err := os.ReadDir(h.Path())
	if target, linkErr := os.Readlink(h.Path("l")); target != "b" || len(entries) != 1 || err != nil || linkErr != nil {
		t.Errorf("link to %q in a folder with %v, %v, %v", target, entries, err, linkErr)
	}
}

func TestWithoutOwnerAnythingMayBeRemoved(t *testing.T) {
	t.Parallel()
	task := &Task{Path: "/d/file", State: "absent"}
	if got := moduletest.Planned(t.Context(), task, prepare(t, "")); got != "remove /d/file" {
		t.Errorf("got %q", got)
	}
}

func TestOnlyTheFoldersThatWereMissingAreMarked(t *testing.T) {
	t.Parallel()
	h := prepare(t, "demo")
	moduletest.Do(t, &DirectoryTask{Path: "/d/x/y/z", Presence: module.Presence{State: "present"}}, h)
	var got []string
	for _, m := range marksOf(t, h) {
		if m.Kind == "directory" {
			got = append(got, m.ID)
		}
	}
	if want := []string{"/d/x", "/d/x/y", "/d/x/y/z"}; !slices.Equal(got, want) {
		t.Errorf("marks %q, want %q", got, want)
	}
}

func TestRemovingAFolderKeepsParentsThatAreInUse(t *testing.T) {
	t.Parallel()
	h := prepare(t, "demo")
	moduletest.Do(t, &DirectoryTask{Path: "/d/x/y/z", Presence: module.Presence{State: "present"}}, h)
	h.FS.Put("/d/x/other", "", 0o644)
	moduletest.Do(t, &DirectoryTask{Path: "/d/x/y/z", Presence: module.Presence{State: "absent"}}, h)
	got, err := h.FS.List(t.Context(), "/d/x")
	if err != nil || len(got) != 1 || got[0].Name != "other" {
		t.Errorf("in /d/x: %v, %v, want other", got, err)
	}
}

func TestAnExistingFileIsNeverClaimed(t *testing.T) {
	t.Parallel()
	h := prepare(t, "demo")
	before := marksOf(t, h)
	moduletest.Do(t, &Task{Path: "/d/file", State: "present", Want: fileattr.Want{Mode: "0600"}}, h)
	if diff := cmp.Diff(before, marksOf(t, h)); diff != "" {
		t.Error(diff)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind       module.Kind
		args, want string
	}{
		{Kind(), `path = "motd"`, `path is "motd", want an absolute path`},
		{Kind(), "path = \"/m\"\nstate = \"gone\"", `state is "gone", want one of present, absent`},
		{DirectoryKind(), "path = \"/m\"\nmode = \"rwx\"", `mode is "rwx", want octal permission bits from "0001" to "0777", such as "0644"`},
		{DirectoryKind(), `path = "/m/"`, `path is "/m/", want it without empty, "." or ".." parts: "/m"`},
		{LinkKind(), `path = "/m"`, "target is empty, want where the link leads"},
	} {
		moduletest.Refused(t, moduletest.Decode(t, c.kind, c.args), c.want)
	}
}

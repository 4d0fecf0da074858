package unarchive

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// undo is what clean-up does with the folder.
func undo(t *testing.T, h *moduletest.Local) {
	t.Helper()
	if err := undoTree(t.Context(), h, module.Mark{Kind: "tree", ID: h.Path("new/dest")}); err != nil {
		t.Fatal(err)
	}
}

func TestRepositoryInAnUnpackedFolderDoesNotMakeItACheckout(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", "printf 1 >one")+`"`), h)
	moduletest.Shell(t, h.Path("new/dest"), "mkdir .git && printf x >.git/config && printf x >foreign")
	undo(t, h)
	moduletest.Same(t, "files", placed(t, h), "./.git ./.git/config ./foreign ")
}

func TestEditedFileStaysWhenANewArchiveLacksIt(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", "printf 1 >bin && printf a=1 >conf && printf 1 >old")+`"`), h)
	moduletest.Shell(t, h.Path("new/dest"), "printf a=2,b=3 >conf")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "b.tgz", "printf 2 >bin")+`"`), h)
	moduletest.Same(t, "files", placed(t, h), "./bin ./conf ")
	moduletest.Same(t, "the edited file", moduletest.Shell(t, h.Path("new/dest"), "cat conf"), "a=2,b=3")
}

// A sweep removes an archive with edited files only if it is named.
func TestUnpackedFolderHoldsDataOnceAFileIsEdited(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	holds := func() bool {
		t.Helper()
		holds, err := holdsWork(t.Context(), h, module.Mark{Kind: "tree", ID: h.Path("new/dest")})
		if err != nil {
			t.Fatal(err)
		}
		return holds
	}
	moduletest.Same(t, "without the folder", holds(), false)
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", "mkdir d && printf a=1 >d/conf && ln -s d/conf link")+`"`), h)
	moduletest.Same(t, "as unpacked", holds(), false)
	moduletest.Shell(t, h.Path("new/dest"), "chmod 0600 d/conf && printf x >foreign")
	moduletest.Same(t, "with a foreign file, which stays", holds(), false)
	moduletest.Shell(t, h.Path("new/dest"), "printf a=2,b=3 >d/conf")
	moduletest.Same(t, "with an edited file", holds(), true)
}

// A file that keep names and that was there before the archive does not go with it.
func TestKeptFileFromBeforeTheArchiveStaysAtCleanUp(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", "printf 1 >bin")+`"`), h)
	moduletest.Shell(t, h.Path("new/dest"), "printf mine >conf")
	second := func() module.Task {
		return task(t, h, `source = "`+pack(t, "b.tgz", "printf 2 >bin && printf a=1 >conf")+`"`, `keep = ["conf"]`)
	}
	moduletest.Do(t, second(), h)
	moduletest.Do(t, task(t, h, `state = "absent"`), h)
	moduletest.Same(t, "files", placed(t, h), "./conf ")
	moduletest.Same(t, "the file", moduletest.Shell(t, h.Path("new/dest"), "cat conf"), "mine")
}

// No archive has put the file there, so it has data that nothing else has.
func TestForeignFileWhereAnEntryGoesIsNotReplaced(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", "printf 1 >bin")+`"`), h)
	moduletest.Shell(t, h.Path("new/dest"), "printf mine >conf && ln -s /nowhere link")
	archive := pack(t, "b.tgz", "printf 2 >bin && printf a=1 >conf && mkdir link && printf 1 >link/in")
	got := moduletest.Apply(t, task(t, h, `source = "`+archive+`"`), h)
	dest := h.Path("new/dest")
	want := dest + " has " + dest + "/conf, " + dest + "/link, which no archive has put there: move it away, or let keep name it to leave it as it is"
	if !strings.Contains(got, want) {
		t.Errorf("error %s, want %s", got, want)
	}
	moduletest.Same(t, "files", placed(t, h), "./bin ./conf ./link ")
	moduletest.Same(t, "their content", moduletest.Shell(t, dest, "cat bin conf"), "1mine")

	// Both ways out work.
	moduletest.Shell(t, dest, "mv link ../away")
	moduletest.Do(t, task(t, h, `source = "`+archive+`"`, `keep = ["conf"]`), h)
	moduletest.Same(t, "the content", moduletest.Shell(t, dest, "cat bin conf"), "2mine")
	moduletest.Same(t, "the names", moduletest.Shell(t, dest, "ls -A | grep -c begun || true"), "0\n")
}

// Without an owner there are no foreign files, as for copy.
func TestFileIsReplacedInAPlaybookWithoutAnOwner(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	moduletest.Shell(t, h.Path("."), "mkdir -p new/dest && printf mine >new/dest/conf")
	moduletest.Do(t, task(t, h, `source = "`+pack(t, "a.tgz", "printf a=1 >conf")+`"`), h)
	moduletest.Same(t, "the content", moduletest.Shell(t, h.Path("new/dest"), "cat conf"), "a=1")
}

// An interrupted unpacking has put entries in place and has written no manifest.
func TestHalfUnpackedEntriesAreNotForeign(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	archive := pack(t, "a.tgz", "printf 1 >bin && printf a=1 >conf")
	again := func() module.Task { return task(t, h, `source = "`+archive+`"`) }
	moduletest.Do(t, again(), h)
	moduletest.Shell(t, h.Path("new/dest"), `f=$(echo .kinit-unarchive*.json) && printf '["bin","conf"]' >"${f%.json}.begun" && rm "$f" && printf a >conf`)
	moduletest.Do(t, again(), h)
	moduletest.Same(t, "the content", moduletest.Shell(t, h.Path("new/dest"), "cat conf"), "a=1")
}

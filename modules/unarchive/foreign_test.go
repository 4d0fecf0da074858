package unarchive

import (
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

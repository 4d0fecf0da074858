package unarchive

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// two returns archives that share a folder and a file, and the tasks that unpack them into one folder.
func two(t *testing.T, h *moduletest.Local) (one, other func(args ...string) module.Task) {
	t.Helper()
	first := pack(t, "one.tgz", "mkdir bin && printf 1 >bin/one && printf first >LICENSE && touch -d @1700000000 LICENSE")
	second := pack(t, "two.tgz", "mkdir bin && printf 2 >bin/two && printf second! >LICENSE && touch -d @1800000000 LICENSE")
	of := func(name, archive string) func(args ...string) module.Task {
		return func(args ...string) module.Task { return named(t, h, name, append(args, `source = "`+archive+`"`)...) }
	}
	return of("one", first), of("two", second)
}

// unpacked returns the tasks of two after both have unpacked their archives.
func unpacked(t *testing.T, h *moduletest.Local) (one, other func(args ...string) module.Task) {
	t.Helper()
	one, other = two(t, h)
	moduletest.Do(t, one(), h)
	moduletest.Do(t, other(), h)
	return one, other
}

func TestArchivesInOneFolderKeepEachOthersFiles(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := moduletest.LocalHost(t, owner)
		one, other := unpacked(t, h)
		moduletest.Same(t, "files", placed(t, h), "./LICENSE ./bin ./bin/one ./bin/two ")
		moduletest.Same(t, "the first one, planned again", moduletest.Planned(t.Context(), one(), h), "")
		moduletest.Same(t, "the second one, planned again", moduletest.Planned(t.Context(), other(), h), "")
		moduletest.Same(t, "the file that both have", moduletest.Shell(t, h.Path("new/dest"), "cat LICENSE"), "second!")
	}
}

func TestAbsentArchiveLeavesOtherFiles(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	one, other := unpacked(t, h)
	moduletest.WantTexts(t, one(`state = "absent"`), h, "remove what one.tgz left in "+h.Path("new/dest"))
	moduletest.Do(t, one(`state = "absent"`), h)
	moduletest.Same(t, "files", placed(t, h), "./LICENSE ./bin ./bin/two ")
	moduletest.Same(t, "the other one, planned", moduletest.Planned(t.Context(), other(), h), "")
	moduletest.Do(t, other(`state = "absent"`), h)
	moduletest.Same(t, "after the last one", moduletest.Shell(t, h.Path("new"), "ls -A"), "")
	moduletest.Same(t, "marks", len(marks(t, h)), 1) // of the folder above, which clean-up removes
}

func TestAbsentFolderLosesAllArchives(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	unpacked(t, h)
	moduletest.Do(t, named(t, h, "gone", `state = "absent"`), h)
	moduletest.Same(t, "files", moduletest.Shell(t, h.Path("new"), "ls -A"), "")
}

func TestRemovedArchiveReturnsTheSharedFile(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	one, other := unpacked(t, h)
	moduletest.Do(t, other(`state = "absent"`), h)
	moduletest.Do(t, one(), h)
	moduletest.Same(t, "the file that both had", moduletest.Shell(t, h.Path("new/dest"), "cat LICENSE"), "first")
	moduletest.Same(t, "planned again", moduletest.Planned(t.Context(), one(), h), "")
}

func TestManifestOfVersion09IsFoundAgain(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	one, _ := two(t, h)
	moduletest.Do(t, one(), h)
	moduletest.Shell(t, h.Path("new/dest"), `sed -i '/"task"/d; /"name"/d' .kinit-unarchive-*.json; mv .kinit-unarchive-*.json .kinit-unarchive.json`)
	moduletest.Same(t, "planned", moduletest.Planned(t.Context(), one(), h), "")
	moduletest.Shell(t, h.Path("new/dest"), "rm bin/one")
	moduletest.Do(t, one(), h)
	check(t, h, "after a repair", ".kinit-unarchive-ID.json", "LICENSE", "bin", "bin/one")
}

// Without a playbook, as by "kinit do", only the name of an archive distinguishes it.
func TestArchivesOfCommandsKeepEachOthersFiles(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	for _, name := range []string{"one.tgz", "two.tgz"} {
		made := moduletest.Decode(t, Kind(), `source = "`+pack(t, name, "touch of-"+name)+"\"\ndest = \""+h.Path("new/dest")+`"`)
		moduletest.Do(t, made, h)
	}
	moduletest.Same(t, "files", placed(t, h), "./of-one.tgz ./of-two.tgz ")
}

func TestNamesInAZipFileKeepTheirLetters(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	archive := pack(t, "a.zip", "touch Prüfung.txt")
	moduletest.Do(t, task(t, h, `source = "`+archive+`"`), h)
	moduletest.Same(t, "files", placed(t, h), "./Prüfung.txt ")
}

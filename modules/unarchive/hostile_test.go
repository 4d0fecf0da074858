package unarchive

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// A folder that belongs to another user is filled entry by entry: no link of that user
// leads out of it, neither when it is unpacked nor when it is removed.
func TestLinksOfTheFoldersOwnerLeadNowhere(t *testing.T) {
	t.Parallel()
	need.Root(t, "hostile")
	h := moduletest.LocalHost(t, "")
	archive := pack(t, "a.tgz", release)
	made := func() module.Task {
		return task(t, h, `source = "`+archive+`"`, `strip = 1`, `owner = "65533"`)
	}
	moduletest.Do(t, made(), h)
	if got := moduletest.Shell(t, h.Dir, "stat -c '%n %u' new/dest new/dest/bin new/dest/bin/app"); got != "new/dest 65533\nnew/dest/bin 65533\nnew/dest/bin/app 65533\n" {
		t.Errorf("owners: %s", got)
	}
	if got := moduletest.Planned(t.Context(), made(), h); got != "" {
		t.Errorf("again: %q, want nothing to do", got)
	}
	moduletest.Shell(t, h.Dir, "mkdir victim; echo root >victim/app; mv new/dest/bin new/dest/mine; ln -s ../../victim new/dest/bin")
	steps, err := made().Plan(t.Context(), h)
	for _, step := range steps {
		if err == nil {
			err = step.Do(t.Context(), h)
		}
	}
	if err != nil {
		t.Fatalf("the link was not replaced: %v", err)
	}
	if got := moduletest.Shell(t, h.Dir, "cat victim/app; ls victim; stat -c %F new/dest/bin"); got != "root\napp\ndirectory\n" {
		t.Errorf("after unpacking: %q", got)
	}
	moduletest.Shell(t, h.Dir, "rm -r new/dest/bin; ln -s ../../victim new/dest/bin")
	moduletest.Do(t, task(t, h, `state = "absent"`), h)
	if got := moduletest.Shell(t, h.Dir, "cat victim/app; ls new/dest"); got != "root\nbin\nmine\n" {
		t.Errorf("after removing: %q", got)
	}
}

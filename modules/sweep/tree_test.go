package sweep_test

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/roottest"
	"kinit/modules/unarchive"
)

// unpacked is a machine with an archive in /srv/app, to which others have added files and
// file systems, and with folders of the archive that have become mounts.
func unpacked(t *testing.T) *roottest.Host {
	t.Helper()
	h := roottest.New(t, "demo", "tar", "unzip")
	h.Shell(t, `mkdir -p a/bin a/data a/empty && cd a && echo 1 >bin/app && echo 2 >data/seed && tar -cf /srv/app.tar .`)
	moduletest.Settle(t, moduletest.Decode(t, unarchive.Kind(), "archive = \"/srv/app.tar\"\ndest = \"/srv/app\""), h)
	h.Shell(t, `mkdir -p /srv/nas/data /srv/app/uploads; echo customer >/srv/nas/orders.db; echo customer >/srv/nas/data/seed
echo customer >/srv/app/local.db; mount --bind /srv/nas /srv/app/uploads; mount --bind /srv/nas/data /srv/app/data`)
	return h
}

const othersFiles = "/srv/app/data/seed\n/srv/app/local.db\n/srv/app/uploads/data/seed\n/srv/app/uploads/orders.db\n"

func TestCleanUpRemovesOfATreeWhatWasUnpacked(t *testing.T) {
	t.Parallel()
	h := unpacked(t)
	moduletest.Settle(t, task(all), h)
	if got := h.Shell(t, "find /srv/app -type f | sort"); got != othersFiles {
		t.Errorf("left are\n%s, want\n%s", got, othersFiles)
	}
	marks, err := h.Marks(t.Context())
	if err != nil || len(marks) > 0 {
		t.Errorf("marks %v, %v", marks, err)
	}
}

func TestAbsentTreeLosesWhatWasUnpacked(t *testing.T) {
	t.Parallel()
	h := unpacked(t)
	moduletest.Settle(t, moduletest.Decode(t, unarchive.Kind(), "dest = \"/srv/app\"\nstate = \"absent\""), h)
	if got := h.Shell(t, "find /srv/app -type f | sort"); got != othersFiles {
		t.Errorf("left are\n%s, want\n%s", got, othersFiles)
	}
}

// What is mounted in a checkout is not the checkout's: clean-up says so and removes
// nothing.
func TestCheckoutWithAMountStays(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Shell(t, "mkdir -p /srv/app/.git /srv/app/uploads /srv/nas; echo 1 >/srv/nas/orders.db; echo 1 >/srv/app/file; mount --bind /srv/nas /srv/app/uploads")
	if err := h.Own(t.Context(), module.Mark{Kind: "tree", ID: "/srv/app"}); err != nil {
		t.Fatal(err)
	}
	steps := moduletest.Steps(t, task(all), h)
	err := steps[0].Do(t.Context(), h)
	if want := "a file system is mounted at /srv/app/uploads"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error is %v, want %s", err, want)
	}
	if got := h.Shell(t, "cat /srv/app/file /srv/nas/orders.db"); got != "1\n1\n" {
		t.Errorf("left is %q", got)
	}
}

func TestInterruptedUnpackingLeavesOthersFiles(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Shell(t, "mkdir -p /srv/app/.kinit-unarchive.parts/x; touch /srv/app/.kinit-unarchive; echo 1 >/srv/app/local.db; mkdir -p /srv/new/.kinit-unarchive.parts")
	for _, dir := range []string{"/srv/app", "/srv/new", "/srv/none"} {
		if err := h.Own(t.Context(), module.Mark{Kind: "tree", ID: dir}); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Settle(t, task(all), h)
	if got := h.Shell(t, "find /srv/app /srv/new -mindepth 0 2>/dev/null || true"); got != "/srv/app\n/srv/app/local.db\n" {
		t.Errorf("left are %q", got)
	}
}

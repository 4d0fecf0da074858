package mount_test

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/roottest"
	"kinit/modules/mount"
)

const point = "/srv/kinit test/data"

func task(t *testing.T, args string) *mount.Task {
	t.Helper()
	return moduletest.Decode(t, mount.Kind(), "path = \""+point+"\"\n"+args).(*mount.Task)
}

const scratch = "source = \"kinit-test\"\nfstype = \"tmpfs\"\noptions = [\"size=1m\", \"nosuid\"]\n"

// facts shows what is mounted and what stands in fstab.
func facts(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, `findmnt -no SOURCE,FSTYPE,VFS-OPTIONS "$1" || true; grep kinit /etc/fstab || true`, point)
}

func TestContract(t *testing.T) {
	t.Parallel()
	roottest.Contract(t, func(owner string) *roottest.Host { return roottest.New(t, owner) },
		func() module.Task { return task(t, scratch) },
		func() module.Task { return task(t, `state = "absent"`) },
		func(h *roottest.Host) string {
			if h.Owner() == "" {
				return h.Shell(t, "cat /etc/fstab") // without marks the folder stays
			}
			return h.Shell(t, "cat /etc/fstab; ls /srv")
		})
}

func TestMountedAndKept(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	const line = `kinit-test /srv/kinit\040test/data tmpfs size=1m,nosuid 0 0`
	moduletest.Settle(t, task(t, scratch), h)
	moduletest.Same(t, "facts", facts(t, h), "kinit-test tmpfs  rw,nosuid,relatime\n"+line+"\n")
	moduletest.Marks(t, h, module.Mark{Kind: "line", ID: "/etc/fstab: " + line}, module.Mark{Kind: "directory", ID: "/srv/kinit test"},
		module.Mark{Kind: "directory", ID: point}, module.Mark{Kind: "mount", ID: point})
	h.Shell(t, `umount "$1" && mount "$1"`, point) // mount finds it in fstab
	moduletest.Same(t, "facts", facts(t, h), "kinit-test tmpfs  rw,nosuid,relatime\n"+line+"\n")
	mark := module.Mark{Kind: "mount", ID: point}
	for range 2 {
		if err := mount.Undo(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "facts", facts(t, h), line+"\n")
	moduletest.Same(t, "steps", roottest.Planned(t, h, task(t, scratch)), []string{"mount kinit-test at " + point})
}

func TestPathThroughALinkIsMountedOnce(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Shell(t, `mkdir "/srv/a real"; ln -s "a real" /srv/link; ln -s "a real/other" /srv/end`)
	for path, at := range map[string]string{"/srv/link/data": "/srv/a real/data", "/srv/end": "/srv/a real/other"} {
		h.Shell(t, `mkdir -p "$1"`, at)
		made := task(t, scratch)
		made.Path = path
		moduletest.Settle(t, made, h)
		moduletest.Same(t, "second plan", roottest.Planned(t, h, made), nil)
		moduletest.Same(t, "mounted", h.Shell(t, `findmnt -no SOURCE "$1"; findmnt -rno TARGET -S kinit-test`, at),
			"kinit-test\n"+strings.ReplaceAll(at, " ", `\x20`)+"\n")
		moduletest.Same(t, "fstab", h.Shell(t, "grep -c \"kinit-test $1 tmpfs\" /etc/fstab", path), "1\n")
		for range 2 {
			if err := mount.Undo(t.Context(), h, module.Mark{Kind: "mount", ID: path}); err != nil {
				t.Fatal(err)
			}
		}
		moduletest.Same(t, "left", h.Shell(t, "findmnt -no TARGET -S kinit-test || true"), "")
	}
}

func TestMissingFoldersBelowALinkAreMadeAndMounted(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Shell(t, "mkdir /srv/real; ln -s real /srv/link")
	made := task(t, scratch)
	made.Path = "/srv/link/a/data"
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "mounted", h.Shell(t, "findmnt -no TARGET -S kinit-test"), "/srv/real/a/data\n")
	gone := task(t, `state = "absent"`)
	gone.Path = made.Path
	moduletest.Settle(t, gone, h)
	moduletest.Same(t, "left", h.Shell(t, "findmnt -no TARGET -S kinit-test || true; ls /srv/real; cat /etc/fstab | grep kinit || true"), "")
	moduletest.Marks(t, h)
}

func TestEachFactIsOfItsOwn(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	moduletest.Settle(t, task(t, scratch+"persistent = false"), h)
	moduletest.Same(t, "facts", facts(t, h), "kinit-test tmpfs  rw,nosuid,relatime\n")
	h.Shell(t, `umount "$1"`, point)
	moduletest.Settle(t, task(t, scratch+"mounted = false"), h)
	moduletest.Same(t, "facts", facts(t, h), "kinit-test /srv/kinit\\040test/data tmpfs size=1m,nosuid 0 0\n")
}

func TestChangedOptionsRemount(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	moduletest.Settle(t, task(t, scratch+"persistent = false"), h)
	changed := task(t, "source = \"kinit-test\"\nfstype = \"tmpfs\"\noptions = [\"ro\", \"suid\", \"noexec\"]\npersistent = false")
	moduletest.Same(t, "steps", roottest.Planned(t, h, changed), []string{"remount " + point + ": rw to ro, nosuid to suid, exec to noexec"})
	moduletest.Settle(t, changed, h)
	moduletest.Same(t, "facts", facts(t, h), "kinit-test tmpfs  ro,noexec,relatime\n")
}

func TestBindMountIsReadOnlyAtOnce(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	h.Shell(t, "mkdir /srv/from; echo x >/srv/from/x")
	moduletest.Settle(t, task(t, "source = \"/srv/from\"\nfstype = \"none\"\noptions = [\"bind\", \"ro\"]"), h)
	moduletest.Same(t, "what is there", h.Shell(t, `cat "$1/x"; touch "$1/y" 2>/dev/null || echo read-only`, point), "x\nread-only\n")
	writable := task(t, "source = \"/srv/from\"\nfstype = \"none\"\noptions = [\"bind\", \"rw\"]\npersistent = false")
	moduletest.Settle(t, writable, h)
	h.Shell(t, `touch "$1/y"`, point)
}

func TestForeignLineIsReplacedInPlaceAndRestored(t *testing.T) {
	t.Parallel()
	for _, at := range []string{`/srv/kinit\040test/data`, `/srv/kinit\040test/data/`} {
		h := roottest.New(t, "demo")
		before := "# fstab\n/dev/vdb1 " + at + " ext4 defaults 0 2\n/dev/vdc1 /mnt xfs defaults 0 0\n"
		h.Put(t, "/etc/fstab", before, module.Attr{})
		made := task(t, scratch+"mounted = false")
		moduletest.Settle(t, made, h)
		moduletest.Same(t, "fstab", h.Text(t, "/etc/fstab"),
			"# fstab\nkinit-test /srv/kinit\\040test/data tmpfs size=1m,nosuid 0 0\n/dev/vdc1 /mnt xfs defaults 0 0\n")
		moduletest.Settle(t, task(t, "state = \"absent\"\nmounted = false"), h)
		moduletest.Same(t, "fstab", h.Text(t, "/etc/fstab"),
			"# fstab\n/dev/vdc1 /mnt xfs defaults 0 0\n/dev/vdb1 "+at+" ext4 defaults 0 2\n")
	}
}

func TestForeignMountIsKept(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Shell(t, `mkdir -p "$1"; mount -t tmpfs theirs "$1"`, point)
	want := []string{"error: mount " + point + " exists and is not owned by cluster demo: unmount it yourself if nothing needs it"}
	moduletest.Same(t, "absent", roottest.Planned(t, h, task(t, `state = "absent"`)), want)
	want = []string{"error: " + point + " has theirs of type tmpfs mounted, want type ext4: unmount it first, or choose another path"}
	moduletest.Same(t, "another type", roottest.Planned(t, h, task(t, "source = \"/dev/vdb1\"\nfstype = \"ext4\"\npersistent = false")), want)
}

// listed is a host with file systems at the mount point, the last one on top, as the kernel lists them.
func listed(t *testing.T, systems ...string) *moduletest.FakeHost {
	t.Helper()
	h := moduletest.NewFakeHost(t, "")
	h.On("readlink", "-f", "--", point).Out(point + "\n")
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		switch c.Argv[0] {
		case "cat":
			text := "22 1 0:21 / / rw - ext4 /dev/vda1 rw\n"
			for _, system := range systems {
				text += `50 22 0:45 / /srv/kinit\040test/data rw,relatime - ` + system + "\n"
			}
			return moduletest.Reply{Stdout: text}, true
		case "umount":
			systems = systems[:len(systems)-1]
			return moduletest.Reply{Changes: true}, true
		}
		return moduletest.Reply{}, false
	})
	return h
}

func TestTypesThatTheKernelNamesInAnotherWayCountAsMounted(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ system, fstype string }{
		{"fuse.glusterfs s:/v rw", "glusterfs"},
		{"fuse.glusterfs s:/v rw", "fuse.glusterfs"},
		{"fuse.sshfs s:/ rw", "sshfs"},
		{"fuse.sshfs s:/ rw", "fuse"},
		{"fuseblk /dev/vdb1 rw", "ntfs-3g"},
		{"fuse https://s/ rw", "davfs"},
		{"nfs4 s:/ rw", "nfs"},
	} {
		made := task(t, "source = \"s\"\npersistent = false\nfstype = \""+c.fstype+`"`)
		moduletest.Same(t, c.system+" for "+c.fstype, roottest.Planned(t, listed(t, c.system, c.system), made), nil)
	}
	other := task(t, "source = \"s\"\npersistent = false\nfstype = \"glusterfs\"")
	moduletest.Same(t, "another type", roottest.Planned(t, listed(t, "fuse.sshfs s:/ rw"), other),
		[]string{"error: " + point + " has s:/ of type fuse.sshfs mounted, want type glusterfs: unmount it first, or choose another path"})
}

const idle = "autofs systemd-1 rw,fd=52,direct"

func TestAutomountThatIdlesCountsAsMounted(t *testing.T) {
	t.Parallel()
	for _, fstype := range []string{"nfs", "auto"} {
		made := task(t, "source = \"s:/\"\npersistent = false\noptions = [\"x-systemd.automount\", \"ro\"]\nfstype = \""+fstype+`"`)
		moduletest.Same(t, fstype, roottest.Planned(t, listed(t, idle), made), nil)
	}
}

func TestAbsentUnmountsTheAutomountToo(t *testing.T) {
	t.Parallel()
	const umount = "umount -- '" + point + "'"
	for _, c := range []struct{ systems, want []string }{
		{[]string{idle}, []string{umount}},
		{[]string{idle, "nfs4 s:/ rw"}, []string{umount, umount}},
		{[]string{"tmpfs theirs rw", "nfs4 s:/ rw"}, []string{umount}},
	} {
		h := listed(t, c.systems...)
		if err := mount.Undo(t.Context(), h, module.Mark{Kind: "mount", ID: point}); err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, strings.Join(c.systems, " and "), h.Changes(), c.want)
	}
	moduletest.Same(t, "absent", roottest.Planned(t, listed(t, idle), task(t, "state = \"absent\"\npersistent = false")),
		[]string{"unmount " + point})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                                    `source is empty, want what to mount, such as "/dev/vdb1" or "UUID=…"`,
		"source = \"-x\"":                     `source is "-x", want what to mount, such as "/dev/vdb1"`,
		"source = \"a\"\nfstype = \"swap\"":   `fstype is "swap", which is not mounted: use a command task with swapon`,
		"source = \"a\"\noptions = [\"a,b\"]": `options has "a,b", want each option of its own, without blanks and commas`,
		"source = \"a\"\npass = -1":           "dump or pass is negative, want 0 or more",
		"source = \"a\"\npersistent = false\nmounted = false": "nothing is asked for, want persistent or mounted",
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

// Files in memory are lost when they are unmounted, so a sweep must be given the name.
func TestFileSystemInMemoryHoldsDataUnlessItIsEmpty(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	moduletest.Settle(t, task(t, scratch), h)
	data := mount.Kind().Marks[0].Data
	holds := func() bool {
		t.Helper()
		holds, err := data(t.Context(), h, module.Mark{Kind: mount.Mark, ID: point})
		if err != nil {
			t.Fatal(err)
		}
		return holds
	}
	moduletest.Same(t, "empty", holds(), false)
	h.Shell(t, `echo x >"$1/file"`, point)
	moduletest.Same(t, "with a file", holds(), true)
	h.Shell(t, `umount "$1" && mkdir -p /srv/kinit-src && echo x >/srv/kinit-src/file && mount --bind /srv/kinit-src "$1"`, point)
	moduletest.Same(t, "on a disk", holds(), h.Shell(t, `stat -f -c %T /srv`) == "tmpfs\n")
}

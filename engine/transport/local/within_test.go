package local_test

import (
	"bufio"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"kinit/engine/module"
	"kinit/engine/need"
	"kinit/engine/transport/local"
)

// namespace is this machine with mounts of its own, which a script makes in a folder.
func namespace(t *testing.T, mounts string) (*local.Conn, string) {
	t.Helper()
	need.Root(t, "mounts")
	need.Programs(t, "mounts", "unshare", "nsenter")
	dir := t.TempDir()
	cmd := exec.Command("unshare", "--mount", "--propagation=private", "sh", "-ec", mounts+"\necho ready; exec cat")
	cmd.Dir, cmd.Stderr = dir, os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	conn := local.Within("nsenter", "--target="+strconv.Itoa(cmd.Process.Pid), "--mount")
	t.Cleanup(func() {
		_ = conn.Close()
		_ = input.Close()
		_ = cmd.Wait() // the mounts go with the last process
	})
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "ready\n" {
		t.Fatalf("mount: %v", err)
	}
	return conn, dir
}

func TestAFolderWithAMountInItStays(t *testing.T) {
	t.Parallel()
	conn, dir := namespace(t, `mkdir -p "tree/a b" tree/empty others; echo data >others/db; echo x >tree/file; mount --bind others "tree/a b"`)
	files, err := conn.Files(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"tree", "tree/a b"} {
		err := files.Remove(t.Context(), filepath.Join(dir, name))
		want := "a file system is mounted at " + strings.ReplaceAll(filepath.Join(dir, "tree/a b"), " ", `\040`)
		if !errors.Is(err, syscall.EBUSY) || !strings.Contains(err.Error(), want) {
			t.Errorf("remove %s: %v, want %s", name, err, want)
		}
	}
	for _, name := range []string{"others/db", "tree/file"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if err := files.Remove(t.Context(), filepath.Join(dir, "tree/empty")); err != nil {
		t.Errorf("a folder beside the mount: %v", err)
	}
}

// disks are file systems on which a write fails, each with an old file on it, and how.
func disks() map[string]struct {
	options string
	fill    string
	want    error
} {
	return map[string]struct {
		options string
		fill    string
		want    error
	}{
		"full":      {"size=512k", "head -c 2M /dev/zero >disk/fill || :", syscall.ENOSPC},
		"no inodes": {"size=1m,nr_inodes=40", "i=0; while touch disk/$i; do i=$((i+1)); done 2>/dev/null", syscall.ENOSPC},
		"read-only": {"size=1m", "mount -o remount,ro disk", syscall.EROFS},
	}
}

// Each operation on a file of a bad disk fails with the system's reason and the name of
// the file, and leaves the old file and nothing else.
func TestDiskFaultsAtEveryFileOperation(t *testing.T) {
	t.Parallel()
	for name, disk := range disks() {
		for who, owner := range map[string]string{"closed": "0", "of another user": "65533"} {
			t.Run(name+", "+who, func(t *testing.T) {
				t.Parallel()
				conn, dir := namespace(t, "mkdir disk; mount -t tmpfs -o mode=755,"+disk.options+" tmpfs disk; mkdir disk/d; echo old >disk/d/old; ln -s x disk/d/link; chown "+owner+" disk/d; "+disk.fill)
				files, err := conn.Files(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				at := func(name string) string { return filepath.Join(dir, "disk/d", name) }
				before := listed(t, files, at(""))
				ctx := t.Context()
				failed := files.Write(ctx, at("old"), strings.NewReader(strings.Repeat("new", 1_000_000)), module.Attr{})
				if after := listed(t, files, at("")); before != after {
					t.Errorf("after a write that failed the disk has\n%s\nand had\n%s", after, before)
				}
				faults := map[string]error{
					"write":      failed,
					"write new":  files.Write(ctx, at("new"), strings.NewReader(strings.Repeat("new", 1_000_000)), module.Attr{}),
					"write few":  files.Write(ctx, at("old"), strings.NewReader("new"), module.Attr{Mode: 0o600}),
					"mkdir":      files.Mkdir(ctx, at("folder/folder"), module.Attr{}),
					"symlink":    files.Symlink(ctx, "target", at("new")),
					"symlink 2":  files.Symlink(ctx, "target", at("link")),
					"attributes": files.SetAttr(ctx, at("old"), module.Attr{Mode: 0o600}),
					"rename":     files.Rename(ctx, at("old"), at("new")),
					"remove":     files.Remove(ctx, at("old")),
				}
				n := 0
				for op, err := range faults {
					possible := disk.want == syscall.ENOSPC && (op == "attributes" || op == "rename" || op == "remove")
					few := name == "full" && op != "write" && op != "write new"
					if err == nil && (possible || few) {
						continue
					}
					n++
					if !errors.Is(err, disk.want) || !strings.Contains(err.Error(), at("")) {
						t.Errorf("%s: error is %v, want %v with the file's name", op, err, disk.want)
					}
				}
				if after := listed(t, files, at("")); disk.want == syscall.EROFS && before != after {
					t.Errorf("the disk has\n%s\nand had\n%s", after, before)
				} else if strings.Contains(after, ".kinit-") {
					t.Errorf("something is left: %s", after)
				}
				t.Logf("%d faults", n)
			})
		}
	}
}

func listed(t *testing.T, files module.Files, dir string) string {
	t.Helper()
	infos, err := files.List(t.Context(), dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, info := range infos {
		b.WriteString(info.Name + " " + info.Mode.String() + " " + strconv.FormatInt(info.Size, 10) + "\n")
	}
	return b.String()
}

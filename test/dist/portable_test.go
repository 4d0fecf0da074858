package dist_test

import (
	"context"
	"debug/elf"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/engine/need"
	"kinit/test/program"
)

// TestPortableProgram builds the program once for what it must do on machines that lack libvirt.
func TestPortableProgram(t *testing.T) {
	t.Parallel()
	kinit := program.Build(t)
	t.Run("needs the C library alone", func(t *testing.T) { needsTheCLibraryAlone(t, kinit) })
	if os.Getenv("KINIT_ALL") != "" { // it compiles the packager
		t.Run("is packed with its files and fields", func(t *testing.T) { hasFilesAndFields(t, kinit) })
	}
	t.Run("fails only libvirt tasks without the library", func(t *testing.T) { failsOnlyLibvirtTasks(t, kinit) })
}

func needsTheCLibraryAlone(t *testing.T, kinit string) {
	file, err := elf.Open(kinit)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil || !slices.Equal(libraries, []string{"libc.so.6"}) {
		t.Errorf("needs %v, %v, want libc.so.6 alone", libraries, err)
	}
}

// spec has a task that needs no libvirt, and one that does.
const spec = `stage "all" {}
task "copy" "plain" {
  stage   = "all"
  dest    = "/made"
  content = "made"
}
task "libvirt_domain" "guest" {
  stage  = "all"
  name   = "guest"
  vcpus  = 1
  memory = "1GiB"
  disk   = "/guest.qcow2"
}
`

// failsOnlyLibvirtTasks runs the program in a root that has the C library and a shell, and not
// libvirt's library. The host looks as if libvirt ran on it.
func failsOnlyLibvirtTasks(t *testing.T, kinit string) {
	root := bareRoot(t, kinit)
	if err := os.MkdirAll(filepath.Join(root, "run/libvirt"), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(root, "run/libvirt/libvirt-sock"), "", 0o600)
	put(t, filepath.Join(root, "root/site.hcl"), spec, 0o644)
	code, out := inRoot(t, root, "/bin/kinit", "run", "site.hcl", "--hosts", "localhost", "--output", "json")
	if code != 1 {
		t.Errorf("exit %d, want 1:\n%s", code, out)
	}
	const want = "libvirt's client library libvirt.so.0 cannot be loaded on the machine that runs kinit: " +
		"install the package libvirt0 (Debian, Ubuntu), libvirt-libs (Fedora, RHEL, openSUSE) or libvirt (Arch Linux)"
	if !strings.Contains(out, want) {
		t.Errorf("output lacks %q:\n%s", want, out)
	}
	if strings.Contains(out, "systemctl start libvirtd") {
		t.Errorf("the error blames the host's libvirt:\n%s", out)
	}
	if made, err := os.ReadFile(filepath.Join(root, "made")); err != nil || string(made) != "made" {
		t.Errorf("the task without libvirt made %q, %v", made, err)
	}
}

// bareRoot returns a root file system with the program, a static shell, the C library and an
// account for root.
func bareRoot(t *testing.T, kinit string) string {
	t.Helper()
	need.Programs(t, "busybox", "busybox")
	need.Root(t, "chroot")
	busybox, err := exec.LookPath("busybox")
	if err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	for _, dir := range []string{"bin", "tmp", "root", "etc", "dev", "proc", "var"} {
		if err := os.MkdirAll(filepath.Join(root, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	place(t, kinit, filepath.Join(root, "bin/kinit"))
	place(t, busybox, filepath.Join(root, "bin/busybox"))
	for _, applet := range []string{"sh", "id", "uname", "cat", "mkdir", "rm", "ls", "env", "test", "stat", "readlink"} {
		if err := os.Symlink("busybox", filepath.Join(root, "bin", applet)); err != nil {
			t.Fatal(err)
		}
	}
	for _, library := range librariesOf(t, filepath.Join(root, "bin/kinit"), filepath.Join(root, "bin/busybox")) {
		place(t, library, filepath.Join(root, library))
	}
	put(t, filepath.Join(root, "etc/passwd"), "root:x:0:0:root:/root:/bin/sh\n", 0o644)
	put(t, filepath.Join(root, "etc/group"), "root:x:0:\n", 0o644)
	put(t, filepath.Join(root, "dev/null"), "", 0o666)
	return root
}

// librariesOf returns the paths of the shared libraries of programs, with that of the loader.
func librariesOf(t *testing.T, programs ...string) []string {
	t.Helper()
	var all []string
	for _, path := range programs {
		out, err := exec.CommandContext(t.Context(), "ldd", path).CombinedOutput()
		if err != nil && !strings.Contains(string(out), "not a dynamic executable") {
			t.Fatalf("ldd %s: %v\n%s", path, err, out)
		}
		for _, match := range regexp.MustCompile(`(/\S+) \(`).FindAllStringSubmatch(string(out), -1) {
			all = append(all, match[1])
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inRoot runs a program with another root and returns its exit code and all that it printed.
func inRoot(t *testing.T, root string, argv ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Path, cmd.Err = argv[0], nil // below the other root
	cmd.Dir, cmd.Env = "/root", []string{"HOME=/root", "PATH=/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

func place(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, to, string(data), 0o755)
}

func put(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

package hostfile_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/hostfile"
	"kinit/test/executable"
)

// TestEditsKeepMetadataOnEachFileSystem edits a file as modules that write whole files do, and as those that
// swap them under a lock do. It mounts each file system that this machine can make.
func TestEditsKeepMetadataOnEachFileSystem(t *testing.T) {
	t.Parallel()
	need.Root(t, "root")
	need.Programs(t, "metadata", "setfacl", "setfattr", "setcap")
	const acl = "user::rw-\nuser:65534:rw-\ngroup::r--\nmask::rw-\nother::---\n\n"
	for name, fileSystem := range map[string]struct {
		make []string // empty without a device
		user bool     // keeps attributes of users, such as user.note
	}{
		"ext4":  {[]string{"mkfs.ext4", "-q", "-F"}, true},
		"xfs":   {[]string{"mkfs.xfs", "-q", "-f"}, true},
		"btrfs": {[]string{"mkfs.btrfs", "-q", "-f"}, true},
		"tmpfs": {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := mounted(t, name, fileSystem.make)
			h := moduletest.LocalHost(t, "")
			for how, edit := range map[string]func(path string) error{
				"write": func(path string) error {
					return hostfile.Write(t.Context(), h, path, "after", module.Attr{})
				},
				"swap": func(path string) error {
					before, after := "before", "after"
					return hostfile.Swap(t.Context(), h, path, &before, &after, module.Attr{Mode: 0o660, Owner: "0", Group: "0"})
				},
			} {
				path := filepath.Join(folder, how)
				look := "getfacl --numeric --omit-header --absolute-names " + path + "; getcap " + path
				prepare := "printf before >" + path + " && chmod 640 " + path + " && setfacl -m u:65534:rw " + path + " && setcap cap_net_bind_service=ep " + path
				want := acl + path + " cap_net_bind_service=ep\n"
				if fileSystem.user {
					prepare += " && setfattr -n user.note -v kept " + path
					look += "; getfattr --absolute-names --only-values -n user.note " + path
					want += "kept"
				}
				shell(t, prepare)
				if got := shell(t, look); got != want {
					t.Fatalf("prepared as\n%s\nwant\n%s", got, want)
				}
				if err := edit(path); err != nil {
					t.Errorf("%s: %v", how, err)
				}
				if got := shell(t, "cat "+path+"; echo; "+look); got != "after\n"+want {
					t.Errorf("after a %s it is\n%s\nwant\n%s", how, got, "after\n"+want)
				}
			}
		})
	}
}

// TestEditThatCannotKeepMetadataIsRefused has a host whose cp copies no attributes.
func TestEditThatCannotKeepMetadataIsRefused(t *testing.T) {
	t.Parallel()
	need.Programs(t, "metadata", "setfattr", "getfattr", "busybox")
	h := moduletest.LocalHost(t, "")
	path := h.Path("file")
	shell(t, "printf before >"+path+" && chmod 640 "+path)
	before, after := "before", "after"
	script := filepath.Join(t.TempDir(), "cp")
	executable.Write(t, script, "#!/bin/sh\nexec busybox cp \"$@\"\n")
	other := withPath{h, filepath.Dir(script)}
	if err := hostfile.Swap(t.Context(), other, path, &before, &after, module.Attr{Mode: 0o640}); err != nil {
		t.Fatalf("a file without attributes: %v", err)
	}
	if got := shell(t, "stat -c %a "+path); got != "640\n" {
		t.Errorf("its mode is %s", got)
	}
	shell(t, "setfattr -n user.note -v kept "+path)
	err := hostfile.Swap(t.Context(), other, path, &after, &before, module.Attr{Mode: 0o640})
	if err == nil || !strings.Contains(err.Error(), "which the cp of this host cannot copy: install coreutils") {
		t.Errorf("error %v", err)
	}
	if got := shell(t, "cat "+path); got != after {
		t.Errorf("the file has %q", got)
	}
}

// withPath is a host whose commands find programs in a folder first.
type withPath struct {
	module.Host
	folder string
}

func (h withPath) Run(ctx context.Context, c module.Command) (module.Output, error) {
	c.Env = map[string]string{"PATH": h.folder + ":" + os.Getenv("PATH")}
	return h.Host.Run(ctx, c)
}

// mounted is a folder with a file system of its own.
func mounted(t *testing.T, kind string, make []string) string {
	t.Helper()
	folder := t.TempDir()
	args := []string{"-t", kind, "tmpfs", folder}
	if len(make) > 0 {
		need.Programs(t, "metadata", make[0])
		image := filepath.Join(t.TempDir(), "image")
		shell(t, "truncate -s 320M "+image+" && "+strings.Join(make, " ")+" "+image)
		args = []string{"-t", kind, "-o", "loop", image, folder}
	}
	if out, err := exec.CommandContext(t.Context(), "mount", args...).CombinedOutput(); err != nil {
		need.Missing(t, "metadata", "this kernel mounts no "+kind+": "+string(out))
	}
	t.Cleanup(func() { _ = exec.Command("umount", folder).Run() })
	return folder
}

// shell returns what a script prints.
func shell(t *testing.T, script string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", script).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

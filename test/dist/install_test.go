//go:build dist

package dist_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/need"
)

// playbook needs nothing but a shell, and its second run changes nothing.
const playbook = `stage "all" {}
task "copy" "plain" {
  stage   = "all"
  dest    = "/tmp/made"
  content = "made"
}
`

// TestDist builds the packages once more from a copy of the source at another path with an empty
// build cache, and installs each in a clean root.
func TestDist(t *testing.T) {
	need.Programs(t, "dist", "mmdebstrap", "rpm", "aarch64-linux-gnu-gcc", "qemu-aarch64", "unshare", "podman")
	need.Root(t, "dist")
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	build(t, source, out, nil)
	base := filepath.Join(t.TempDir(), "base")
	command(t, nil, "mmdebstrap", "--quiet", "--mode=root", "--variant=essential", "bookworm", base)
	amd64 := filepath.Join(out, "kinit-"+version+"-linux-amd64")
	t.Run("tarball", func(t *testing.T) {
		root := clone(t, base)
		command(t, nil, "tar", "-xzf", amd64+".tar.gz", "--strip-components=1", "-C", filepath.Join(root, "usr/local"))
		runsPlaybook(t, root, "/usr/local/bin/kinit")
	})
	t.Run("deb", func(t *testing.T) {
		root := clone(t, base)
		place(t, amd64+".deb", filepath.Join(root, "kinit.deb"))
		within(t, root, "dpkg", "--install", "/kinit.deb")
		runsPlaybook(t, root, "/usr/bin/kinit")
		within(t, root, "dpkg", "--verify", "kinit")
		within(t, root, "dpkg", "--purge", "kinit")
		if _, err := os.Stat(filepath.Join(root, "usr/bin/kinit")); !os.IsNotExist(err) {
			t.Errorf("after purge: %v", err)
		}
	})
	// Packages of an RPM distribution cannot be had here, so the .rpm goes into a Debian root.
	t.Run("rpm", func(t *testing.T) {
		root := clone(t, base)
		command(t, nil, "rpm", "--root", root, "--install", "--nodeps", amd64+".rpm")
		runsPlaybook(t, root, "/usr/bin/kinit")
		if scripts := command(t, nil, "rpm", "--query", "--package", "--scripts", amd64+".rpm"); scripts != "" {
			t.Errorf("has scripts: %s", scripts)
		}
		if needs := command(t, nil, "rpm", "--query", "--package", "--requires", amd64+".rpm"); !strings.Contains(needs, "glibc >= 2.34") {
			t.Errorf("requires %s", needs)
		}
	})
	t.Run("image", func(t *testing.T) { imageRunsPlaybook(t, amd64+".image.tar") })
	t.Run("arm64 under emulation", func(t *testing.T) { emulated(t, out) })
	t.Run("is the same when built elsewhere", func(t *testing.T) { sameElsewhere(t, source, out) })
}

func build(t *testing.T, source, out string, environ []string) {
	t.Helper()
	environ = append(environ, "SOURCE_DATE_EPOCH=1700000000")
	command(t, environ, filepath.Join(source, "cmd/kinit/packaging/dist"), out, version, "amd64", "arm64")
}

// sameElsewhere compares the checksums of two builds.
func sameElsewhere(t *testing.T, source, out string) {
	copied, again := filepath.Join(t.TempDir(), "elsewhere"), t.TempDir()
	if err := os.Mkdir(copied, 0o755); err != nil {
		t.Fatal(err)
	}
	command(t, nil, "cp", "-a", "--", filepath.Join(source, "cmd"), filepath.Join(source, "engine"), filepath.Join(source, "modules"),
		filepath.Join(source, "specs"), filepath.Join(source, "inventories"), filepath.Join(source, "test"),
		filepath.Join(source, "go.mod"), filepath.Join(source, "go.sum"), filepath.Join(source, "LICENSE"), copied)
	build(t, copied, again, []string{"GOCACHE=" + t.TempDir()})
	for _, folder := range []string{out, again} {
		command(t, nil, "sh", "-ec", `cd "$1" && sha256sum --quiet --check SHA256SUMS`, "sh", folder)
	}
	first, second := read(t, filepath.Join(out, "SHA256SUMS")), read(t, filepath.Join(again, "SHA256SUMS"))
	if first != second {
		t.Errorf("the builds differ:\n%s\n%s", first, second)
	}
}

// runsPlaybook runs the playbook twice, and reads a manual page's presence.
func runsPlaybook(t *testing.T, root, kinit string) {
	t.Helper()
	put(t, filepath.Join(root, "root/site.hcl"), playbook, 0o644)
	if got := within(t, root, kinit, "version"); !strings.HasPrefix(got, "kinit "+version+" ") {
		t.Errorf("version: %s", got)
	}
	for _, want := range []string{"1 changed", "0 changed"} {
		if out := within(t, root, "sh", "-c", `cd /root && "$1" run site.hcl --hosts localhost`, "sh", kinit); !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
	if made := read(t, filepath.Join(root, "tmp/made")); made != "made" {
		t.Errorf("made %q", made)
	}
	prefix := filepath.Dir(filepath.Dir(filepath.Join(root, kinit)))
	for _, file := range []string{"share/man/man1/kinit-run.1.gz", "share/bash-completion/completions/kinit", "lib/systemd/system/kinit-ci@.service"} {
		if _, err := os.Stat(filepath.Join(prefix, file)); err != nil {
			t.Error(err)
		}
	}
}

// imageRunsPlaybook loads an image into a store of its own, and runs a playbook twice in a container, which
// has what kinit starts.
func imageRunsPlaybook(t *testing.T, image string) {
	dir := t.TempDir()
	command(t, nil, "install", "-d", dir+"/work")
	put(t, dir+"/work/site.hcl", playbook, 0o644)
	podman := []string{"podman", "--root", dir + "/root", "--runroot", dir + "/run", "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs"}
	if _, err := exec.LookPath("runc"); err == nil {
		podman = append(podman, "--runtime", "runc")
	}
	run := func(argv ...string) string {
		return command(t, nil, append(podman[:len(podman):len(podman)], argv...)...)
	}
	run("load", "--input", image)
	container := []string{"run", "--rm", "--network", "host", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--volume", dir + "/work:/work"}
	if out := run(append(container, "localhost/kinit:"+version, "version")...); !strings.Contains(out, "kinit "+version+" ") {
		t.Errorf("version: %s", out)
	}
	out := run(append(container, "--entrypoint", "/bin/sh", "localhost/kinit:"+version, "-ec",
		"for i in 1 2; do kinit run site.hcl --hosts localhost; done; ssh -V; test -e /usr/lib/x86_64-linux-gnu/libvirt.so.0; test -s /etc/ssl/certs/ca-certificates.crt")...)
	if first, second := strings.Index(out, "1 changed"), strings.LastIndex(out, "0 changed"); first < 0 || second < first {
		t.Errorf("the two runs printed\n%s", out)
	}
}

// emulated runs the program for arm64 in user-mode emulation. The shell that it starts is this machine's.
func emulated(t *testing.T, out string) {
	dir := t.TempDir()
	name := "kinit-" + version + "-linux-arm64"
	command(t, nil, "tar", "-xzf", filepath.Join(out, name+".tar.gz"), "-C", dir)
	put(t, filepath.Join(dir, "site.hcl"), strings.ReplaceAll(playbook, "/tmp/made", dir+"/made"), 0o644)
	kinit := []string{"qemu-aarch64", "-L", "/usr/aarch64-linux-gnu", filepath.Join(dir, name, "bin/kinit")}
	if got := command(t, nil, append(kinit, "version")...); !strings.HasSuffix(got, "linux/arm64\n") {
		t.Errorf("version: %s", got)
	}
	home := []string{"HOME=" + dir}
	for _, want := range []string{"1 changed", "0 changed"} {
		argv := append(kinit[:len(kinit):len(kinit)], "run", filepath.Join(dir, "site.hcl"), "--hosts", "localhost")
		if out := command(t, home, argv...); !strings.Contains(out, want) {
			t.Errorf("output lacks %q:\n%s", want, out)
		}
	}
}

// clone copies a root file system, so that each test has a clean one.
func clone(t *testing.T, base string) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "root")
	command(t, nil, "cp", "-a", "--", base, root)
	return root
}

// within runs a program in a root, without a network and with processes of its own.
func within(t *testing.T, root string, argv ...string) string {
	t.Helper()
	return command(t, []string{"HOME=/root", "PATH=/usr/sbin:/usr/bin:/sbin:/bin"},
		append([]string{"unshare", "--mount", "--pid", "--net", "--fork", "--kill-child", "chroot", root}, argv...)...)
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

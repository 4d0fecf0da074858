package dist_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/need"
)

const version = "v0.1.0"

// hasFilesAndFields packs a program as "make dist" does, and reads the packages. TestDist installs
// packages of two architectures, which takes too long for each change.
func hasFilesAndFields(t *testing.T, kinit string) {
	need.Programs(t, "dist", "dpkg-deb", "rpm")
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	command(t, []string{"SOURCE_DATE_EPOCH=1700000000", "PROGRAM=" + kinit}, filepath.Join(source, "cmd/kinit/packaging/dist"), out, version, "amd64")
	name := filepath.Join(out, "kinit-"+version+"-linux-amd64")

	fields := command(t, nil, "dpkg-deb", "--show", "--showformat", "${Package} ${Version} ${Architecture} ${Section} ${Depends} / ${Suggests}\n", name+".deb")
	if want := "kinit 0.1.0 amd64 admin libc6 (>= 2.34) / libvirt0\n"; fields != want {
		t.Errorf("the .deb has the fields %q, want %q", fields, want)
	}
	if scripts := strings.Fields(command(t, nil, "sh", "-c", `dpkg-deb --ctrl-tarfile "$1" | tar -t`, "sh", name+".deb")); !slices.Equal(scripts, []string{"./control", "./md5sums"}) {
		t.Errorf("the .deb has the control files %q", scripts)
	}

	// Manual pages are too many to list, and those of all commands are alike.
	files := []string{
		"bin/kinit -rwxr-xr-x", "lib/systemd/system/kinit-ci@.service -rw-r--r--", "share/bash-completion/completions/kinit -rw-r--r--",
		"share/doc/kinit/copyright -rw-r--r--", "share/fish/vendor_completions.d/kinit.fish -rw-r--r--", "share/man/man1/kinit-run.1.gz -rw-r--r--",
		"share/man/man1/kinit.1.gz -rw-r--r--", "share/zsh/site-functions/_kinit -rw-r--r--",
	}
	for kind, list := range map[string]string{
		"tarball": command(t, nil, "tar", "-tvf", name+".tar.gz"),
		".deb":    command(t, nil, "dpkg-deb", "--contents", name+".deb"),
		".rpm":    command(t, nil, "rpm", "--query", "--package", "--list", "--verbose", name+".rpm"),
	} {
		if diff := cmp.Diff(files, listed(list, "kinit-"+version+"-linux-amd64/", "./usr/", "/usr/")); diff != "" {
			t.Errorf("files of the %s (-want +got):\n%s", kind, diff)
		}
	}
	command(t, nil, "sh", "-ec", `cd "$1" && sha256sum --quiet --check SHA256SUMS`, "sh", out)
}

// listed returns the files of a list with modes first and paths last, without folders, without the prefix of
// the package, and with the manual pages of kinit and kinit run alone.
func listed(list string, prefixes ...string) (files []string) {
	for line := range strings.Lines(list) {
		words := strings.Fields(line)
		if len(words) < 2 || strings.HasPrefix(words[0], "d") {
			continue
		}
		path := words[len(words)-1]
		for _, prefix := range prefixes {
			if rest, ok := strings.CutPrefix(path, prefix); ok {
				path = rest
				break
			}
		}
		if strings.HasPrefix(path, "share/man/") && filepath.Base(path) != "kinit.1.gz" && filepath.Base(path) != "kinit-run.1.gz" {
			continue
		}
		files = append(files, path+" "+words[0])
	}
	slices.Sort(files)
	return files
}

// command runs a program and returns its standard output.
func command(t *testing.T, environ []string, argv ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), environ...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(argv, " "), err, &stdout, &stderr)
	}
	return stdout.String()
}

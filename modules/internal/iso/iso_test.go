package iso_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/need"
	"kinit/modules/internal/iso"
)

// seed are the files of a NoCloud seed, one longer than a sector and one empty.
func seed() []iso.File {
	return []iso.File{
		{Name: "user-data", Content: []byte("#cloud-config\n" + strings.Repeat("# more\n", 1000))},
		{Name: "meta-data", Content: []byte("instance-id: one\n")},
		{Name: "network-config", Content: nil},
	}
}

func image(t *testing.T, files []iso.File) string {
	t.Helper()
	data, err := iso.Image("cidata", files)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "seed.iso")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestSameFilesGiveTheSameBytesInAnyOrder(t *testing.T) {
	t.Parallel()
	one, err := iso.Image("cidata", seed())
	if err != nil {
		t.Fatal(err)
	}
	turned := seed()
	slices.Reverse(turned)
	other, err := iso.Image("cidata", turned)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(one, other) {
		t.Error("the bytes differ")
	}
}

func TestIsoinfoReadsBothTrees(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	path := image(t, seed())
	if got := run(t, "isoinfo", "-d", "-i", path); !strings.Contains(got, "Volume id: cidata\n") || !strings.Contains(got, "Joliet with UCS level 3 found") {
		t.Errorf("isoinfo -d says\n%s", got)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{args: []string{"-J", "-f"}, want: "/meta-data\n/network-config\n/user-data\n"},
		{args: []string{"-f"}, want: "/META-DATA.;1\n/NETWORK-CONFIG.;1\n/USER-DATA.;1\n"},
		{args: []string{"-J", "-x", "/user-data"}, want: string(seed()[0].Content)},
		{args: []string{"-x", "/USER-DATA.;1"}, want: string(seed()[0].Content)},
	} {
		if diff := cmp.Diff(c.want, run(t, "isoinfo", append(c.args, "-i", path)...)); diff != "" {
			t.Errorf("isoinfo %v (-want +got):\n%s", c.args, diff)
		}
	}
}

func TestBlkidFindsTheLabel(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "blkid")
	if got := run(t, "blkid", "-p", "-o", "value", "-s", "LABEL", "-s", "TYPE", image(t, seed())); got != "cidata\niso9660\n" {
		t.Errorf("blkid says %q", got)
	}
}

func TestLinuxMountsTheImage(t *testing.T) {
	for _, options := range []string{"loop,ro", "loop,ro,nojoliet"} {
		t.Run(options, func(t *testing.T) {
			dir := mount(t, image(t, seed()), options)
			for _, f := range seed() {
				got, err := os.ReadFile(filepath.Join(dir, f.Name))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(f.Content), string(got)); diff != "" {
					t.Errorf("%s (-want +got):\n%s", f.Name, diff)
				}
			}
		})
	}
}

func TestManyFilesFillSeveralSectorsOfTheFolder(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	var files []iso.File
	var want []string
	for _, letter := range "abcdefghijklmnopqrstuvwxyz" {
		for _, digit := range "0123456789" {
			name := "some-long-file-name-" + string(letter) + string(digit)
			files = append(files, iso.File{Name: name, Content: []byte(name)})
			want = append(want, name)
		}
	}
	path := image(t, files)
	if diff := cmp.Diff("/"+strings.Join(want, "\n/")+"\n", run(t, "isoinfo", "-J", "-f", "-i", path)); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	for _, name := range []string{want[0], want[len(want)/2], want[len(want)-1]} {
		if got := run(t, "isoinfo", "-J", "-x", "/"+name, "-i", path); got != name {
			t.Errorf("%s has %q", name, got)
		}
	}
}

// Windows reads the Joliet tree, so what matters there is that names are whole and
// sorted by their own bytes; the plain tree has short ones of the same files.
func TestLongNamesAreWholeInJolietAndShortInThePlainTree(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	names := []string{
		"Autounattend.xml", "administrators_authorized_keys", "kinit-setup.ps1",
		strings.Repeat("n", 60) + ".msi", strings.Repeat("n", 59) + "m.msi",
	}
	var files []iso.File
	for _, name := range names {
		files = append(files, iso.File{Name: name, Content: []byte("this is " + name)})
	}
	path := image(t, files)
	want := "/Autounattend.xml\n/administrators_authorized_keys\n/kinit-setup.ps1\n/" + strings.Repeat("n", 59) + "m.msi\n/" + strings.Repeat("n", 60) + ".msi\n"
	if diff := cmp.Diff(want, run(t, "isoinfo", "-J", "-f", "-i", path)); diff != "" {
		t.Errorf("Joliet names (-want +got):\n%s", diff)
	}
	plain := strings.Fields(run(t, "isoinfo", "-f", "-i", path))
	var read []string
	for _, name := range plain {
		if len(name) > len("/")+28+len(";1") {
			t.Errorf("%s is too long for the plain tree", name)
		}
		read = append(read, run(t, "isoinfo", "-x", name, "-i", path))
	}
	slices.Sort(read)
	var whole []string
	for _, f := range files {
		whole = append(whole, string(f.Content))
	}
	slices.Sort(whole)
	if diff := cmp.Diff(whole, read); diff != "" {
		t.Errorf("contents in the plain tree (-want +got):\n%s", diff)
	}
}

func TestNamesThatCannotBeKeptAreRefused(t *testing.T) {
	t.Parallel()
	for _, names := range [][]string{{""}, {"a/b"}, {"ä"}, {".hidden"}, {"a", "A"}, {strings.Repeat("x", 65)}} {
		var files []iso.File
		for _, name := range names {
			files = append(files, iso.File{Name: name})
		}
		if _, err := iso.Image("cidata", files); err == nil {
			t.Errorf("%q gave no error", names)
		}
	}
	if _, err := iso.Image("a label that is too long", nil); err == nil {
		t.Error("a long label gave no error")
	}
}

// mount mounts an image until the test ends, where the machine can.
func mount(t *testing.T, path, options string) string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "iso9660", "-o", options, path, dir).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	return dir
}

func run(t *testing.T, name string, args ...string) string {
	t.Helper()
	out, err := exec.Command(name, args...).Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		t.Fatalf("%s %v: %v: %s", name, args, err, exit.Stderr)
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

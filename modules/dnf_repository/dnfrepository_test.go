package dnfrepository_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/dnf_repository"
	"kinit/modules/internal/packages/packagestest"
	"kinit/modules/internal/roottest"
)

// host has a signed repository, and returns the public key.
func host(t *testing.T, owner string) (*roottest.Host, string) {
	t.Helper()
	h := roottest.New(t, owner, "dnf", "rpmbuild", "createrepo_c", "gpg")
	packagestest.RPM(t, h, "kinit-test-a", "1.0")
	h.Shell(t, "rm -rf /etc/yum.repos.d /etc/pki/rpm-gpg; mkdir -p /etc/yum.repos.d")
	h.Ignore("/root/.rpmdb", "/var/lib/dnf", "/var/tmp")
	return h, packagestest.SignRPM(t, h)
}

func args(key, more string) string {
	return fmt.Sprintf("name = \"kinit-test\"\nbase_urls = [\"file://%s\"]\ngpgcheck = false\nrepo_gpgcheck = true\nkey = %q\n%s",
		packagestest.Folder, key, more)
}

func task(t *testing.T, args string) *dnfrepository.Task {
	t.Helper()
	return moduletest.Decode(t, dnfrepository.Kind(), args).(*dnfrepository.Task)
}

const (
	file    = "/etc/yum.repos.d/kinit-test.repo"
	keyring = "/etc/pki/rpm-gpg/kinit-kinit-test.asc"
)

func files(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return packagestest.Files(t, h, "/etc/yum.repos.d", "/etc/pki/rpm-gpg")
}

func TestContract(t *testing.T) {
	t.Parallel()
	packagestest.Contract(t, host, task, args, files)
}

func TestDnfVerifiesAndInstallsFromTheRepository(t *testing.T) {
	t.Parallel()
	h, key := host(t, "demo")
	made := task(t, args(key, "description = \"A test\"\noptions = { priority = \"10\" }"))
	want := "write package repository kinit-test and read its package lists\ncreate " + keyring + ", mode 0644\ncreate " + file + ", mode 0644"
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{want})
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "file", h.Text(t, file), "# Made by kinit.\n[kinit-test]\nname=A test\nbaseurl=file:///tmp/repository\nenabled=1\n"+
		"gpgcheck=0\nrepo_gpgcheck=1\ngpgkey=file:///etc/pki/rpm-gpg/kinit-kinit-test.asc\npriority=10\n")
	h.Shell(t, "dnf -y -q install kinit-test-a && rpm -q kinit-test-a")
}

func TestRepositoryThatDnfRejectsLeavesNothing(t *testing.T) {
	t.Parallel()
	h, key := host(t, "demo")
	made := task(t, args(key, ""))
	packagestest.SignRPM(t, h) // by another key
	got := moduletest.Apply(t, made, h)
	if !strings.HasPrefix(got, "read the package lists of kinit-test, the files are as before: ") {
		t.Errorf("error %q, want dnf's", got)
	}
	moduletest.Same(t, "files", files(t, h), "")
	moduletest.Marks(t, h)
}

func TestDisabledRepositoryIsNotRead(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	moduletest.Settle(t, task(t, "name = \"a\"\nmetalink = \"https://rpm.example/$basearch?a=b\"\ngpgcheck = false\nenabled = false"), h)
	text, _ := h.FS.Text("/etc/yum.repos.d/a.repo")
	moduletest.Same(t, "file", text, "# Made by kinit.\n[a]\nname=a\nmetalink=https://rpm.example/$basearch?a=b\nenabled=0\ngpgcheck=0\nrepo_gpgcheck=0\n")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	const rest = "name = \"a\"\nbase_urls = [\"https://rpm.example\"]\n"
	for args, want := range map[string]string{
		`name = "a b"`: `name is "a b", want letters, digits, "-", "_", "." and ":"`,
		`name = "a"`:   "want exactly one of base_urls, metalink and mirrorlist",
		rest + `metalink = "https://rpm.example"`: "want exactly one of base_urls, metalink and mirrorlist",
		rest:                        "there is no key to verify with, want key or gpg_keys, or gpgcheck = false",
		rest + `key = "x"`:          `key is no public key in ASCII armour, want "-----BEGIN PGP PUBLIC KEY BLOCK-----" and so on`,
		rest + `gpg_keys = ["key"]`: `"key" is no URL, want one such as "https://rpm.example/el$releasever"`,
		rest + "gpgcheck = false\noptions = { \"A b\" = \"c\" }": `options has A b = "c", want a setting's name and one line`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

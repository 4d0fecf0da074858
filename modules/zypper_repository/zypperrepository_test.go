package zypperrepository

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

const (
	armour = "-----BEGIN PGP PUBLIC KEY BLOCK-----\nx\n-----END PGP PUBLIC KEY BLOCK-----"
	whole  = "name = \"web\"\nurl = \"https://rpm.example/$releasever\"\nkey = <<E\n" + armour + "\nE\n"
	file   = "/etc/zypp/repos.d/web.repo"
	key    = "/etc/pki/rpm-gpg/kinit-web.asc"
)

// host is a host on which rpm and zypper do what they are asked for. Debian cannot have zypper
// beside the plug-ins of dnf that other tests need.
func host(t *testing.T, owner string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, owner)
	h.On("rpm", "--import", key).Out("")
	h.On("zypper", "--non-interactive", "refresh", "--repo", "web").Out("")
	return h
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := host(t, owner)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(t, whole) },
			Absent: func() module.Task { return task(t, "name = \"web\"\nstate = \"absent\"") },
		})
		moduletest.Marks(t, h)
		for _, path := range []string{file, key} {
			if _, there := h.FS.Text(path); there {
				t.Errorf("%s is left", path)
			}
		}
	}
}

func TestRepositoryIsWrittenTrustedAndRead(t *testing.T) {
	t.Parallel()
	h := host(t, "demo")
	moduletest.Settle(t, task(t, whole+"description = \"The web\"\npriority = 10\n"), h)
	text, _ := h.FS.Text(file)
	moduletest.Same(t, "file", text, "# Made by kinit.\n[web]\nname=The web\nenabled=1\nautorefresh=1\nbaseurl=https://rpm.example/$releasever\n"+
		"type=rpm-md\npriority=10\ngpgcheck=1\ngpgkey=file:///etc/pki/rpm-gpg/kinit-web.asc\n")
	moduletest.Same(t, "commands", h.Lines(), []string{"rpm --import " + key, "zypper --non-interactive refresh --repo web"})
}

func TestRepositoryThatZypperRejectsLeavesNothing(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "demo")
	h.On("rpm", "--import", key).Out("")
	h.On("zypper", "--non-interactive", "refresh", "--repo", "web").Fail(4, "Signature verification failed for repository 'web'.")
	got := moduletest.Apply(t, task(t, whole), h)
	want := "read the package lists of web, the files are as before: command ended with code 4: Signature verification failed for repository 'web'."
	if !strings.HasPrefix(got, want) {
		t.Errorf("error %q, want %s", got, want)
	}
	if _, there := h.FS.Text(file); there {
		t.Error("the file is left")
	}
	moduletest.Marks(t, h)
}

func TestDisabledRepositoryIsNotRead(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	moduletest.Settle(t, task(t, "name = \"web\"\nurl = \"https://rpm.example\"\nenabled = false\nauto_refresh = false\ngpgcheck = false"), h)
	text, _ := h.FS.Text(file)
	moduletest.Same(t, "file", text, "# Made by kinit.\n[web]\nname=web\nenabled=0\nautorefresh=0\nbaseurl=https://rpm.example\ntype=rpm-md\npriority=99\ngpgcheck=0\n")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"name = \"a b\"\nurl = \"https://a\"":                      `name is "a b", want letters, digits, "-", "_" and "."`,
		`name = "a"`:                                               "url is empty, want the address of the repository",
		"name = \"a\"\nurl = \"rpm\"":                              `url is "rpm", want one such as "https://rpm.example/suse/$releasever"`,
		"name = \"a\"\nurl = \"https://a\"\npriority = 0":          "priority is 0, want a number from 1 to 200",
		"name = \"a\"\nurl = \"https://a\"\nkey = \"x\"":           `key is no public key in ASCII armour, want "-----BEGIN PGP PUBLIC KEY BLOCK-----" and so on`,
		"name = \"a\"\nurl = \"https://a\"\ndescription = \"\\n\"": "description has a line break, want one line",
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

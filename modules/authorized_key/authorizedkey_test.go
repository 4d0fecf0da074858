package authorizedkey_test

import (
	"fmt"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/authorized_key"
	"kinit/modules/internal/roottest"
)

// Public keys made by ssh-keygen for these tests, and their fingerprints.
const (
	ann = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIN7AIWQbaglQrufWCsRf83TVITAvfm28RGRHVyG7J4jg"
	bob = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIK05VYfIlUARd2VqB3LoMMROgU8lIE3ROqLpNlekIMr/"

	annID = "SHA256:ZZVxsMXroYSiD1Sa0djuKHesAUv7/L6X2yloh4CR6+M"
	bobID = "SHA256:ushq/L58d6S98Jv1GR/cjThpPLD/cMnzuChalm1nHVU"
)

func task(t *testing.T, key, more string) *authorizedkey.Task {
	t.Helper()
	return moduletest.Decode(t, authorizedkey.Kind(), fmt.Sprintf("user = \"kinit-test-u\"\nkey = %q\n%s", key, more)).(*authorizedkey.Task)
}

const file = "/home/kinit-test-u/.ssh/authorized_keys"

// host has a user, by default without a folder for keys.
func host(t *testing.T, owner string) *roottest.Host {
	t.Helper()
	h := roottest.New(t, owner, "useradd", "ssh-keygen")
	h.Shell(t, "useradd --create-home --uid 4321 kinit-test-u")
	return h
}

func lineMark(line string) module.Mark { return module.Mark{Kind: "line", ID: file + ": " + line} }

func TestContract(t *testing.T) {
	t.Parallel()
	roottest.Contract(t, func(owner string) *roottest.Host { return host(t, owner) },
		func() module.Task { return task(t, ann+" ann\n\n# others\n"+bob+"\n", `options = ["restrict"]`) },
		func() module.Task { return task(t, ann+"\n"+bob, `state = "absent"`) },
		func(h *roottest.Host) string { return h.Shell(t, "ls "+file+" 2>&1 || true") })
}

func TestSshKeygenReadsTheFileAndOnlyItsUserMay(t *testing.T) {
	t.Parallel()
	h := host(t, "demo")
	made := task(t, ann+" ann@example", `options = ["from=\"192.0.2.0/24,198.51.100.1\"", "no-pty"]`)
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{"authorize " + annID + " for kinit-test-u"})
	moduletest.Settle(t, made, h)
	line := `from="192.0.2.0/24,198.51.100.1",no-pty ` + ann + " ann@example"
	moduletest.Same(t, "file", h.Text(t, file), line+"\n")
	moduletest.Same(t, "as ssh-keygen reads it", h.Shell(t, "ssh-keygen -lf "+file), "256 "+annID+" ann@example (ED25519)\n")
	moduletest.Same(t, "modes", h.Shell(t, "stat -c %a:%U:%G "+file+" "+strings.TrimSuffix(file, "/authorized_keys")),
		"600:kinit-test-u:kinit-test-u\n700:kinit-test-u:kinit-test-u\n")
	moduletest.Marks(t, h, module.Mark{Kind: "directory", ID: "/home/kinit-test-u/.ssh"}, lineMark(line))
}

func TestMissingHomeIsTheUsersAndGoesWithTheKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ path, modes string }{
		{"", "755:root /srv/homes\n700:kinit-test-u /srv/homes/u\n700:kinit-test-u /srv/homes/u/.ssh\n"},
		{"/srv/homes/u/a/b/keys", "755:root /srv/homes\n700:kinit-test-u /srv/homes/u\n700:kinit-test-u /srv/homes/u/a\n700:kinit-test-u /srv/homes/u/a/b\n"},
		{"/srv/keys/u/keys", "755:root /srv/keys\n700:kinit-test-u /srv/keys/u\n"},
	} {
		h := roottest.New(t, "demo", "useradd")
		h.Shell(t, "useradd --no-create-home --home-dir /srv/homes/u --uid 4321 kinit-test-u")
		more := ""
		if c.path != "" {
			more = fmt.Sprintf("path = %q\n", c.path)
		}
		moduletest.Settle(t, task(t, ann, more), h)
		moduletest.Same(t, "folders of "+c.path, h.Shell(t, "find /srv -mindepth 1 -type d -exec stat -c '%a:%U %n' {} + | sort -k2"), c.modes)
		moduletest.Settle(t, task(t, ann, more+`state = "absent"`), h)
		moduletest.Same(t, "left of "+c.path, h.Shell(t, "ls /srv"), "")
		moduletest.Marks(t, h)
	}
}

func TestKeyIsReplacedInItsPlaceWhenOptionsChange(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	h.Put(t, file, "# keys\n"+ann+" old\n"+bob+"\n"+ann+" twice\n", module.Attr{})
	moduletest.Settle(t, task(t, ann+" ann", `options = ["restrict"]`), h)
	moduletest.Same(t, "file", h.Text(t, file), "# keys\nrestrict "+ann+" ann\n"+bob+"\n")
}

func TestExclusiveRemovesOtherKeys(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	h.Put(t, file, "# keys\n"+bob+" bob\n", module.Attr{})
	exclusive := task(t, ann, "exclusive = true")
	moduletest.Same(t, "steps", roottest.Planned(t, h, exclusive), []string{"authorize " + annID + " and no other key for kinit-test-u"})
	moduletest.Settle(t, exclusive, h)
	moduletest.Same(t, "file", h.Text(t, file), "# keys\n"+ann+"\n")
}

func TestForeignKeysAreKeptOnAHostOfACluster(t *testing.T) {
	t.Parallel()
	h := host(t, "demo")
	h.Put(t, file, bob+" bob\n", module.Attr{})
	want := []string{"error: " + file + " has a line that is not owned by cluster demo: " + bob + " bob: remove it yourself if nothing needs it"}
	moduletest.Same(t, "exclusive", roottest.Planned(t, h, task(t, ann, "exclusive = true")), want)
	moduletest.Same(t, "absent", roottest.Planned(t, h, task(t, bob, `state = "absent"`)), want)
	moduletest.Settle(t, task(t, ann, ""), h)
	moduletest.Settle(t, task(t, ann, `state = "absent"`), h)
	moduletest.Same(t, "file", h.Text(t, file), bob+" bob\n")
}

func TestFolderThatIsALinkIsRefused(t *testing.T) {
	t.Parallel()
	h := host(t, "")
	h.Shell(t, "ln -s /root/.ssh /home/kinit-test-u/.ssh")
	got := roottest.Planned(t, h, task(t, ann, ""))
	want := []string{"error: /home/kinit-test-u/.ssh is no folder but Lrwxrwxrwx, want a folder or nothing there"}
	moduletest.Same(t, "plan", got, want)
}

func TestUserMayComeWithAnEarlierTask(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "useradd")
	made := task(t, ann, "")
	steps, err := made.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	err = steps[0].Do(t.Context(), h)
	if want := "there is no user kinit-test-u: make it with a user task before"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	h.Shell(t, "useradd --create-home kinit-test-u")
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "absent, without the user", roottest.Planned(t, roottest.New(t, ""), task(t, bob, `state = "absent"`)), nil)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	private := "-----BEGIN OPENSSH PRIVATE KEY-----"
	for _, c := range []struct{ key, more, want string }{
		{"ssh-ed25519 AAAA", "", `key has a line that is no public key, want "TYPE DATA COMMENT" as in id_ed25519.pub: ssh-ed25519 AAAA`},
		{private, "", "key is a private key, want the public one"},
		{"restrict " + ann, "", "key has options before the type, want them in options: " + ("restrict " + ann)[:40]},
		{"# none", "", "key is empty, want a public key such as that of an ssh_key task"},
		{ann, `options = ["from=\"a"]`, `options are ["from=\"a"], want each as sshd reads it, such as "restrict" or "from=\"192.0.2.0/24\""`},
		{ann, "exclusive = true\nstate = \"absent\"", `exclusive is for state = "present" only`},
		{ann, `path = "keys"`, `path is "keys", want an absolute path`},
	} {
		moduletest.Refused(t, task(t, c.key, c.more), c.want)
	}
}

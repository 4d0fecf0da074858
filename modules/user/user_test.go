package user_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/modules/internal/account"
	"kinit/modules/internal/roottest"
	"kinit/modules/user"
)

// hash is of the password "correct horse", by openssl passwd -6 -salt kinittest.
const hash = "$6$kinittest$3CMLtnUTXaBdYH.rPOoRnuNp5jEAJVSzGxYmQ9nMTr1XQ914TAC5poHdkEqoWRbigw11.ZEr4gyHdknX1qvQr/"

const name = "name = \"kinit-test-u\"\n"

func task(t *testing.T, args string) *user.Task {
	t.Helper()
	return moduletest.Decode(t, user.Kind(), name+args).(*user.Task)
}

// marks are those of a new user, in the order in which they are made.
var marks = []module.Mark{{Kind: "user_group", ID: "kinit-test-u"}, {Kind: "user", ID: "kinit-test-u"}}

// undo undoes marks as clean-up does, the last first, and then again.
func undo(t *testing.T, h *roottest.Host) {
	t.Helper()
	made, err := h.Marks(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, mark := range slices.Backward(append(made, made...)) {
		i := slices.IndexFunc(user.Kind().Marks, func(k module.MarkKind) bool { return k.Name == mark.Kind })
		if err := user.Kind().Marks[i].Undo(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
	}
}

// keepGroups makes userdel leave a user's group, as on openSUSE.
func keepGroups(t *testing.T, h *roottest.Host) {
	t.Helper()
	h.Shell(t, "sed -i 's/^USERGROUPS_ENAB.*/USERGROUPS_ENAB no/' /etc/login.defs; grep -q '^USERGROUPS_ENAB no' /etc/login.defs")
}

func passwd(t *testing.T, h *roottest.Host) string {
	t.Helper()
	return h.Shell(t, "getent passwd kinit-test-u && id -Gn kinit-test-u || true")
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "demo"} {
		h := roottest.New(t, owner, "useradd", "chpasswd")
		args := "uid = 4321\ngroups = [\"adm\", \"audio\"]\ncomment = \"A Test\"\nshell = \"/bin/sh\"\npassword_hash = \"" + hash + `"`
		moduletest.Run(t, moduletest.Case{
			Host:    h,
			New:     func() module.Task { return task(t, args) },
			Absent:  func() module.Task { return task(t, "state = \"absent\"\nremove_home = true") },
			Secrets: []secret.Value{hash},
		})
		moduletest.Marks(t, h)
		moduletest.Same(t, "what is left", passwd(t, h)+h.Shell(t, "ls -d /home/kinit-test-u || true"), "")
	}
}

func TestUserChanges(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "useradd")
	moduletest.Settle(t, task(t, "uid = 4321\ngroups = [\"adm\", \"audio\"]\nshell = \"/bin/sh\""), h)
	moduletest.Same(t, "new user", passwd(t, h), "kinit-test-u:x:4321:4321::/home/kinit-test-u:/bin/sh\nkinit-test-u adm audio\n")
	for _, c := range []struct{ args, step, after string }{
		{"shell = \"/bin/false\"\nhome = \"/srv/u\"\nuid = 4322\ncomment = \"Ann\"",
			`change user kinit-test-u: uid 4321 to 4322, comment "" to "Ann", home /home/kinit-test-u to /srv/u, shell /bin/sh to /bin/false`,
			"kinit-test-u:x:4322:4321:Ann:/srv/u:/bin/false\nkinit-test-u adm audio\n"},
		{`groups = ["video", "adm"]`, "change user kinit-test-u: join video",
			"kinit-test-u:x:4322:4321:Ann:/srv/u:/bin/false\nkinit-test-u adm audio video\n"},
		{"groups = [\"adm\"]\nappend = false", "change user kinit-test-u: leave audio, leave video",
			"kinit-test-u:x:4322:4321:Ann:/srv/u:/bin/false\nkinit-test-u adm\n"},
		{"append = false\ngroup = \"audio\"", "change user kinit-test-u: group 4321 to audio, leave adm",
			"kinit-test-u:x:4322:29:Ann:/srv/u:/bin/false\naudio\n"},
	} {
		moduletest.Same(t, c.args, roottest.Planned(t, h, task(t, c.args)), []string{c.step})
		moduletest.Settle(t, task(t, c.args), h)
		moduletest.Same(t, "after "+c.args, passwd(t, h), c.after)
	}
	moduletest.Marks(t, h, marks...)
}

func TestSystemUserHasNoHomeAndItsGroupMayBeThere(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "", "useradd")
	h.Shell(t, "groupadd --gid 987 kinit-test-u")
	made := task(t, "system = true\nuid = 988\nhome = \"/var/lib/u\"\nshell = \"/usr/sbin/nologin\"")
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "user", passwd(t, h), "kinit-test-u:x:988:987::/var/lib/u:/usr/sbin/nologin\nkinit-test-u\n")
	moduletest.Same(t, "home", h.Shell(t, "ls -d /var/lib/u || true"), "")
	values, err := module.Outputs(t.Context(), made, h)
	if err != nil || !values["uid"].RawEquals(cty.NumberIntVal(988)) || values["home"].AsString() != "/var/lib/u" {
		t.Errorf("outputs %v, %v", values, err)
	}
}

func TestPasswordHashIsSetAndInNoArgument(t *testing.T) {
	t.Parallel()
	h := &spy{Host: roottest.New(t, "demo", "useradd", "chpasswd")}
	made := task(t, `password_hash = "`+hash+`"`)
	moduletest.Same(t, "steps", roottest.Planned(t, h, made),
		[]string{"add user kinit-test-u", "set the password hash of user kinit-test-u"})
	moduletest.Settle(t, made, h)
	shadow := h.Shell(t, "getent shadow kinit-test-u | cut -d: -f2")
	moduletest.Same(t, "hash", shadow, hash+"\n")
	locked := task(t, `password_hash = "!"`)
	moduletest.Same(t, "steps", roottest.Planned(t, h, locked), []string{"set the password hash of user kinit-test-u"})
	moduletest.Settle(t, locked, h)
	if strings.Contains(h.lines, hash) {
		t.Errorf("an argument has the hash: %s", h.lines)
	}
	moduletest.Same(t, "redacted", h.Redact("<"+hash+">"), "<***>")
}

func TestForeignUserMayOnlyJoinGroups(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "useradd")
	h.Shell(t, "useradd --uid 4321 kinit-test-u")
	for _, args := range []string{`shell = "/bin/false"`, `state = "absent"`, `password_hash = "!!x"`, "uid = 5"} {
		want := []string{"error: user kinit-test-u exists and is not owned by cluster demo: choose another name, or ask for nothing but further groups"}
		moduletest.Same(t, args, roottest.Planned(t, h, task(t, args)), want)
	}
	moduletest.Settle(t, task(t, `groups = ["adm"]`), h)
	mark := module.Mark{Kind: "membership", ID: "kinit-test-u adm"}
	moduletest.Marks(t, h, mark)
	for range 2 {
		if err := account.UndoMembership(t.Context(), h, mark); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "user", passwd(t, h), "kinit-test-u:x:4321:4321::/home/kinit-test-u:/bin/sh\nkinit-test-u\n")
}

func TestUndoRemovesTheUserAndKeepsTheHome(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "useradd")
	moduletest.Settle(t, task(t, ""), h)
	undo(t, h)
	moduletest.Same(t, "what is left", passwd(t, h)+h.Shell(t, "ls -d /home/kinit-test-u; getent group kinit-test-u || true"),
		"/home/kinit-test-u\n")
}

func TestGroupThatUserdelLeavesGoesToo(t *testing.T) {
	t.Parallel()
	for name, remove := range map[string]func(*roottest.Host){
		"clean-up": func(h *roottest.Host) { undo(t, h) },
		"absent": func(h *roottest.Host) {
			moduletest.Settle(t, task(t, `state = "absent"`), h)
			moduletest.Marks(t, h)
		},
	} {
		h := roottest.New(t, "demo", "useradd")
		keepGroups(t, h)
		moduletest.Settle(t, task(t, ""), h)
		remove(h)
		moduletest.Same(t, name, passwd(t, h)+h.Shell(t, "getent group kinit-test-u || true"), "")
	}
}

func TestGroupThatOthersUseOrMadeStays(t *testing.T) {
	t.Parallel()
	const theGroup = "getent group kinit-test-u | cut -d: -f1,4"
	for _, c := range []struct{ before, after, want string }{
		{"groupadd kinit-test-u", ":", "kinit-test-u:\n"},
		{":", "useradd --gid kinit-test-u kinit-test-v", "kinit-test-u:\n"},
		{":", "useradd --groups kinit-test-u kinit-test-v", "kinit-test-u:kinit-test-v\n"},
	} {
		h := roottest.New(t, "demo", "useradd")
		keepGroups(t, h)
		h.Shell(t, c.before)
		moduletest.Settle(t, task(t, ""), h)
		h.Shell(t, c.after)
		undo(t, h)
		moduletest.Same(t, c.before+" "+c.after, passwd(t, h)+h.Shell(t, theGroup), c.want)
	}
}

func TestMarkOfAGroupThatWasNotMadeGoes(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo", "useradd")
	failed := task(t, `groups = ["kinit-test-none"]`)
	steps := moduletest.Steps(t, failed, h)
	if err := steps[0].Do(t.Context(), h); err == nil {
		t.Fatal("useradd takes a group that is missing")
	}
	moduletest.Marks(t, h, marks...)
	h.Shell(t, "groupadd kinit-test-u")
	moduletest.Settle(t, task(t, ""), h)
	moduletest.Marks(t, h, marks[1])
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`groups = ["a b"]`:         `groups is "a b", want a name such as "deploy"`,
		`uid = -1`:                 `uid is -1, want 0 to 4294967293`,
		`comment = "a:b"`:          `comment is "a:b", want one line without colon`,
		`home = "u"`:               `home is "u", want an absolute path`,
		`password_hash = "secret"`: `password_hash is no hash, want one as "openssl passwd -6" prints it, or "!"`,
		`password_hash = "$6$a:b"`: "password_hash has a colon or a line break, want a hash as in /etc/shadow",
		`remove_home = true`:       `remove_home is for state = "absent" only`,
		`state = "locked"`:         `state is "locked", want one of present, absent`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

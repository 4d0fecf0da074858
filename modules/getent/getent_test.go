package getent

import (
	"os"
	"os/user"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	need.Programs(t, "getent", "getent")
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return &Task{Database: "passwd"} }, Host: moduletest.LocalHost(t, ""), NoSteps: true})
}

func TestEntriesOfThisMachine(t *testing.T) {
	t.Parallel()
	need.Programs(t, "getent", "getent")
	h := moduletest.LocalHost(t, "")
	root, err := user.Lookup("root")
	if err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"root", "0", ""} {
		out, err := (&Task{Database: "passwd", Key: key}).Outputs(t.Context(), h)
		if got := out.Users["root"]; got.Home != root.HomeDir || got.UID != 0 || got.GID != 0 || !out.Exists || err != nil {
			t.Errorf("%q: %+v, %t, %v", key, got, out.Exists, err)
		}
	}
	out, err := (&Task{Database: "group", Key: "root"}).Outputs(t.Context(), h)
	if diff := cmp.Diff(Outputs{Exists: true, Entries: map[string][]string{"root": {"x", "0", ""}}, Users: map[string]User{}, Groups: map[string]Group{"root": {GID: 0, Members: []string{}}}}, out); diff != "" || err != nil {
		t.Errorf("group root (-want +got), %v:\n%s", err, diff)
	}
	out, err = (&Task{Database: "passwd", Key: "kinit-no-such-key"}).Outputs(t.Context(), h)
	if out.Exists || len(out.Entries) > 0 || err != nil {
		t.Errorf("an unknown user: %+v, %v", out, err)
	}
	if hosts, err := os.ReadFile("/etc/hosts"); err == nil && len(hosts) > 0 {
		out, err = (&Task{Database: "services", Key: "ssh"}).Outputs(t.Context(), h)
		if out.Exists && !cmp.Equal(out.Entries["ssh"], []string{"22/tcp"}) || err != nil {
			t.Errorf("ssh: %+v, %v", out, err)
		}
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	got := (&Task{Database: "group"}).parse("adm:x:4:syslog,ann\nbad\n")
	if diff := cmp.Diff(map[string]Group{"adm": {GID: 4, Members: []string{"syslog", "ann"}}}, got.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	got = (&Task{Database: "services"}).parse("domain                53/tcp\ndomain                53/udp\n")
	if diff := cmp.Diff(map[string][]string{"domain": {"53/tcp", "53/udp"}}, got.Entries); diff != "" {
		t.Errorf("entries (-want +got):\n%s", diff)
	}
	got = (&Task{Database: "passwd"}).parse("ann:x:1000:1000:Ann,,,:/home/ann:/bin/bash\n")
	if diff := cmp.Diff(map[string]User{"ann": {UID: 1000, GID: 1000, Comment: "Ann,,,", Home: "/home/ann", Shell: "/bin/bash"}}, got.Users); diff != "" {
		t.Errorf("users (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for code, want := range map[int]string{
		3:   "the host cannot list all of netgroup, want a key: command ended with code 3: no\n$ getent netgroup",
		127: "getent is not installed, it is in the package libc-bin, glibc-common or musl-utils: command ended with code 127: no\n$ getent netgroup",
	} {
		h := moduletest.NewFakeHost(t, "")
		h.On("getent", "netgroup").Fail(code, "no")
		if _, err := (&Task{Database: "netgroup"}).Outputs(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("code %d: error %v, want %s", code, err, want)
		}
	}
	moduletest.Refused(t, &Task{Database: "shadow"}, "database is \"shadow\", want one of passwd, group, hosts, services, protocols, networks, netgroup, ethers")
	moduletest.Refused(t, &Task{Database: "passwd", Key: "-s"}, `key is "-s", want one name or number`)
}

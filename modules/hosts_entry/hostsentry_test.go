package hostsentry_test

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/hosts_entry"
	"kinit/modules/internal/roottest"
)

const db = "address = \"192.0.2.21\"\nnames = [\"kinit-test-db.example\", \"kinit-test-db\"]"

func task(t *testing.T, args string) *hostsentry.Task {
	t.Helper()
	return moduletest.Decode(t, hostsentry.Kind(), args).(*hostsentry.Task)
}

func TestContract(t *testing.T) {
	t.Parallel()
	roottest.Contract(t, func(owner string) *roottest.Host { return roottest.New(t, owner) },
		func() module.Task { return task(t, db) },
		func() module.Task { return task(t, "names = [\"kinit-test-db.example\"]\nstate = \"absent\"") },
		func(h *roottest.Host) string { return h.Text(t, "/etc/hosts") })
}

func TestHostResolvesTheNames(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "")
	moduletest.Settle(t, task(t, db), h)
	for _, name := range []string{"kinit-test-db.example", "kinit-test-db"} {
		got := h.Shell(t, "getent hosts "+name)
		moduletest.Same(t, name, got, "192.0.2.21      kinit-test-db.example kinit-test-db\n")
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const others = "127.0.0.1 localhost\n192.0.2.21 else.example db\n2001:db8::1 db.example\n"
	for name, c := range map[string]struct{ have, args, want string }{
		"a new one": {others, `names = ["db.example", "db"]`, others + "192.0.2.21\tdb.example db\n"},
		"another address": {others + "192.0.2.9 db.example # old\n10.0.0.1 x\n", `names = ["db.example"]`,
			others + "192.0.2.21\tdb.example\n10.0.0.1 x\n"},
		"another spelling of the same": {"192.0.2.21  DB.example\n", `names = ["db.example"]`, "192.0.2.21\tdb.example\n"},
		"the same with a comment":      {"192.0.2.21   db.example # x\n", `names = ["db.example"]`, "192.0.2.21   db.example # x\n"},
		"other aliases":                {"192.0.2.21 db.example a\n", `names = ["db.example", "b"]`, "192.0.2.21\tdb.example b\n"},
		"twice":                        {"192.0.2.1 db.example\n192.0.2.21 db.example\n", `names = ["db.example"]`, "192.0.2.21 db.example\n"},
		"absent in the family":         {others + "192.0.2.9 db.example\n", "names = [\"db.example\"]\nstate = \"absent\"", others},
	} {
		h := roottest.New(t, "")
		h.Put(t, "/srv/hosts", c.have, module.Attr{})
		moduletest.Settle(t, task(t, "path = \"/srv/hosts\"\naddress = \"192.0.2.21\"\n"+c.args), h)
		moduletest.Same(t, name, h.Text(t, "/srv/hosts"), c.want)
	}
}

func TestStepShowsTheDifferenceAndWhatWasThereComesBack(t *testing.T) {
	t.Parallel()
	h := roottest.New(t, "demo")
	h.Put(t, "/srv/hosts", "192.0.2.9 kinit-test-db.example\n", module.Attr{})
	made := task(t, "path = \"/srv/hosts\"\n"+db)
	moduletest.Same(t, "steps", roottest.Planned(t, h, made), []string{
		"resolve kinit-test-db.example, kinit-test-db as 192.0.2.21 in /srv/hosts\n--- /srv/hosts\n+++ /srv/hosts\n@@ -1,1 +1,1 @@\n" +
			"-192.0.2.9 kinit-test-db.example\n+192.0.2.21\tkinit-test-db.example kinit-test-db"})
	moduletest.Settle(t, made, h)
	moduletest.Settle(t, task(t, "path = \"/srv/hosts\"\nstate = \"absent\"\n"+db), h)
	moduletest.Same(t, "file", h.Text(t, "/srv/hosts"), "192.0.2.9 kinit-test-db.example\n")
	moduletest.Marks(t, h)
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`names = []`:      "names is empty, want at least one name",
		`names = ["a b"]`: `names has "a b", want a host name such as "db1.example"`,
		`names = ["a"]`:   `address is "", want an IPv4 or IPv6 address`,
		"names = [\"a\"]\naddress = \"192.0.2.0/24\"":          `address is "192.0.2.0/24", want an IPv4 or IPv6 address`,
		"names = [\"a\"]\naddress = \"::1\"\npath = \"hosts\"": `path is "hosts", want an absolute path`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

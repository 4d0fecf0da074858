// Package ovntest gives tests real OVN and Open vSwitch databases.
//
// Each server is Debian's ovsdb-server on a fresh database made from the
// installed schema, in a folder of its own. ovn-nbctl, ovn-sbctl and ovs-vsctl
// plant and look at rows, so that what kinit wrote is read by somebody else.
package ovntest

import (
	"encoding/csv"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn"
)

// patience is how long a daemon may take to come up on a busy machine.
const patience = 20 * time.Second

// Servers are the databases of one host.
type Servers struct {
	t      testing.TB
	Dir    string   // holds sockets, databases and logs
	inside []string // what comes before each command
}

// kinds are, by the name of a database, the schema of Debian, the table with its addresses, its tool
// with options, and the tool's command that makes the first row, as the packages' services do.
var kinds = map[string]struct {
	schema, root string
	tool, init   []string
}{
	"OVN_Northbound": {"/usr/share/ovn/ovn-nb.ovsschema", "NB_Global", []string{"ovn-nbctl"}, []string{"init"}},
	"OVN_Southbound": {"/usr/share/ovn/ovn-sb.ovsschema", "SB_Global", []string{"ovn-sbctl"}, []string{"init"}},
	"Open_vSwitch":   {"/usr/share/openvswitch/vswitch.ovsschema", "", []string{"ovs-vsctl", "--timeout=10"}, []string{"--no-wait", "init"}},
}

// Start starts a server for each database. Without ovsdb-server the test is
// skipped, or fails where KINIT_REQUIRE names ovs.
func Start(t testing.TB, dbs ...ovn.Database) *Servers {
	t.Helper()
	s := newServers(t)
	for _, db := range dbs {
		s.startDatabase(db)
	}
	return s
}

func newServers(t testing.TB) *Servers {
	t.Helper()
	need.Programs(t, "ovs", "ovsdb-server", "ovsdb-tool", "ovn-nbctl")
	// t.TempDir may be longer than a socket's path can be.
	dir, err := os.MkdirTemp("", "kinit-ovn-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return &Servers{t: t, Dir: dir}
}

func (s *Servers) startDatabase(db ovn.Database) {
	s.t.Helper()
	file, socket := s.path(db, ".db"), s.Socket(db)
	s.Output("ovsdb-tool", "create", file, kinds[db.Name].schema)
	args := []string{file, "--remote=punix:" + socket, "--unixctl=" + s.path(db, ".ctl"), "--log-file=" + s.path(db, ".log")}
	if table := kinds[db.Name].root; table != "" {
		// As ovn-ctl starts them: addresses and certificates come from the database.
		args = append(args, "--remote=db:"+db.Name+","+table+",connections",
			"--private-key=db:"+db.Name+",SSL,private_key", "--certificate=db:"+db.Name+",SSL,certificate",
			"--ca-cert=db:"+db.Name+",SSL,ca_cert")
	}
	s.Daemon("ovsdb-server", args...)
	s.Until(socket+" answers", func() bool {
		conn, err := net.Dial("unix", socket)
		if err == nil {
			conn.Close()
		}
		return err == nil
	})
	s.tool(db, kinds[db.Name].init...)
}

// Vswitchd starts ovs-vswitchd. With dummy devices it needs no rights and makes
// no interface on the machine.
func (s *Servers) Vswitchd(args ...string) {
	s.t.Helper()
	need.Programs(s.t, "ovs", "ovs-vswitchd")
	s.Daemon("ovs-vswitchd", append([]string{"unix:" + s.Socket(ovn.Switch()), "--unixctl=" + filepath.Join(s.Dir, "vswitchd.ctl"),
		"--log-file=" + filepath.Join(s.Dir, "vswitchd.log")}, args...)...)
}

// DummyVswitchd starts ovs-vswitchd with dummy devices.
func (s *Servers) DummyVswitchd() {
	s.t.Helper()
	s.Vswitchd("--enable-dummy=override", "--disable-system", "--disable-system-route")
}

// Daemon starts a program that runs until the test ends.
func (s *Servers) Daemon(name string, args ...string) {
	s.t.Helper()
	cmd := s.Command(name, args...)
	if err := cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
}

// Command is a program that runs where the databases are, with their folders.
func (s *Servers) Command(name string, args ...string) *exec.Cmd {
	argv := slices.Concat(s.inside, []string{name}, args)
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append(os.Environ(), "OVS_RUNDIR="+s.Dir, "OVS_LOGDIR="+s.Dir, "OVN_RUNDIR="+s.Dir, "OVN_LOGDIR="+s.Dir, "LC_ALL=C")
	return cmd
}

// Output runs a program, which must succeed, and returns what it printed without
// the last line end.
func (s *Servers) Output(name string, args ...string) string {
	s.t.Helper()
	out, err := s.Command(name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %q: %v\n%s", name, args, err, out)
	}
	return strings.TrimRight(string(out), "\n")
}

// Until waits until a condition holds.
func (s *Servers) Until(what string, holds func() bool) {
	s.t.Helper()
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); <-tick.C {
		if holds() {
			return
		}
	}
	s.t.Fatalf("%s: not within %v", what, patience)
}

func (s *Servers) path(db ovn.Database, ending string) string {
	return filepath.Join(s.Dir, db.Name+ending)
}

// Socket is where the server of a database listens.
func (s *Servers) Socket(db ovn.Database) string { return s.path(db, ".sock") }

// Host returns a fake host whose sockets lead to the servers. owner may be empty.
func (s *Servers) Host(owner string) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(s.t, owner)
	h.Sockets = map[string]string{}
	for _, db := range []ovn.Database{ovn.Northbound(), ovn.Southbound(), ovn.Switch()} {
		if _, err := os.Stat(s.Socket(db)); err == nil {
			h.Sockets[db.Socket] = s.Socket(db)
			h.FS.Put(db.Socket, "", 0o600)
		}
	}
	return h
}

// Refused plans a task, and does its steps if there are any, and checks the error.
func Refused(t testing.TB, h module.Host, task module.Task, want string) {
	t.Helper()
	steps, err := task.Plan(t.Context(), h)
	for _, s := range steps {
		if err == nil {
			err = s.Do(t.Context(), h)
		}
	}
	if err == nil || err.Error() != want {
		t.Errorf("error %v\nwant %s", err, want)
	}
}

// NB runs ovn-nbctl.
func (s *Servers) NB(args ...string) string {
	s.t.Helper()
	return s.tool(ovn.Northbound(), args...)
}

// SB runs ovn-sbctl.
func (s *Servers) SB(args ...string) string {
	s.t.Helper()
	return s.tool(ovn.Southbound(), args...)
}

// VS runs ovs-vsctl.
func (s *Servers) VS(args ...string) string {
	s.t.Helper()
	return s.tool(ovn.Switch(), args...)
}

// tool runs the tool of a database.
func (s *Servers) tool(db ovn.Database, args ...string) string {
	s.t.Helper()
	tool := kinds[db.Name].tool
	return s.Output(tool[0], slices.Concat(tool[1:], []string{"--db=unix:" + s.Socket(db)}, args)...)
}

// Rows lists columns of a table, one row a line with the columns between bars,
// sorted. The tool of that database reads them.
func (s *Servers) Rows(db ovn.Database, table, columns string) []string {
	s.t.Helper()
	out := s.tool(db, "--format=csv", "--data=bare", "--no-headings", "--columns="+columns, "list", table)
	records, err := csv.NewReader(strings.NewReader(out)).ReadAll()
	if err != nil {
		s.t.Fatalf("%s of %s: %v\n%s", columns, table, err, out)
	}
	lines := lists.Map(records, func(r []string) string { return strings.Join(r, "|") })
	slices.Sort(lines)
	return lines
}

// Dump is everything in a database but counters and what the daemons report, to
// compare before and after.
func (s *Servers) Dump(db ovn.Database) string {
	s.t.Helper()
	return s.Output("ovsdb-client", "--format=csv", "dump", "unix:"+s.Socket(db), db.Name)
}

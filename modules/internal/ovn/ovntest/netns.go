package ovntest

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/modules/internal/ovn"
)

// Machine is a network namespace with Open vSwitch's userspace datapath inside:
// its devices are real and nothing outside sees them.
type Machine struct {
	*Servers
	Netns string
}

// StartMachine starts Open vSwitch in a namespace of its own, and the databases
// besides. Without the rights for that the test is skipped, or fails where
// KINIT_REQUIRE names ovs.
func StartMachine(t testing.TB, dbs ...ovn.Database) *Machine {
	t.Helper()
	need.Programs(t, "ovs", "ip", "nsenter", "ovs-vswitchd")
	m := &Machine{Servers: newServers(t)}
	m.Netns = filepath.Base(m.Dir)
	if out, err := exec.Command("ip", "netns", "add", m.Netns).CombinedOutput(); err != nil {
		need.Missing(t, "ovs", "ip netns add: "+string(out))
	}
	t.Cleanup(func() { exec.Command("ip", "netns", "del", m.Netns).Run() })
	m.inside = []string{"ip", "netns", "exec", m.Netns}
	m.Output("ip", "link", "set", "dev", "lo", "up")
	for _, db := range append(dbs, ovn.Switch()) {
		m.startDatabase(db)
	}
	m.Vswitchd()
	return m
}

// Pod makes a network namespace beside the machine's and returns its name.
func (m *Machine) Pod(name string) string {
	m.t.Helper()
	full := m.Netns + "-" + name
	if out, err := exec.Command("ip", "netns", "add", full).CombinedOutput(); err != nil {
		m.t.Fatalf("ip netns add: %v\n%s", err, out)
	}
	m.t.Cleanup(func() { exec.Command("ip", "netns", "del", full).Run() })
	return full
}

// Host returns a host whose commands run in the namespace. Programs that may run
// are ip, nsenter and ethtool.
func (m *Machine) Host(owner string) *moduletest.FakeHost {
	h := m.Servers.Host(owner)
	h.Handle(func(c moduletest.Call) (moduletest.Reply, bool) {
		if !slices.Contains([]string{"ip", "nsenter", "ethtool"}, c.Argv[0]) {
			return moduletest.Reply{}, false
		}
		return m.run(c.Argv), true
	})
	return h
}

func (m *Machine) run(argv []string) moduletest.Reply {
	cmd := m.Command(argv[0], argv[1:]...)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	reply := moduletest.Reply{Stdout: stdout.String(), Stderr: stderr.String(), Changes: !reads(argv)}
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		reply.Code = exit.ExitCode()
	case err != nil:
		reply.Code, reply.Stderr = 127, err.Error()
	}
	return reply
}

// reads reports whether a command only looks.
func reads(argv []string) bool {
	return slices.Contains(argv, "show") || slices.Contains(argv, "-k")
}

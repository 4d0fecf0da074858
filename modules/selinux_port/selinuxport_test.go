package selinuxport

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/semanage/semanagetest"
)

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

// policy has a free port 2222, and 80 is http_port_t's.
func policy(local map[string]string) *semanagetest.Policy {
	return &semanagetest.Policy{Local: local, Ports: map[string][]string{"ssh_port_t": {"tcp 22"}, "http_port_t": {"tcp 80", "tcp 443"}}}
}

func TestContract(t *testing.T) {
	t.Parallel()
	p := policy(map[string]string{})
	h := semanagetest.Host(t, "demo", p)
	const args = "type = \"ssh_port_t\"\nports = [\"2222\", \"80\", \"3000-3010\"]\n"
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return task(t, args) },
		Absent: func() module.Task { return task(t, args+`state = "absent"`) },
	})
	moduletest.Marks(t, h)
	moduletest.Same(t, "what the host adds", p.Local, map[string]string{})
}

func TestTypeOfAnotherIsReplacedAndRestored(t *testing.T) {
	t.Parallel()
	p := policy(map[string]string{"tcp 2222": "http_port_t"})
	h := semanagetest.Host(t, "demo", p)
	made := task(t, "type = \"ssh_port_t\"\nports = [\"22\", \"2222\", \"80\"]")
	moduletest.WantTexts(t, made, h,
		"give port tcp 2222 the type ssh_port_t, was http_port_t", "give port tcp 80 the type ssh_port_t, was http_port_t")
	moduletest.Settle(t, made, h)
	moduletest.Same(t, "what the host adds", p.Local, map[string]string{"tcp 80": "ssh_port_t", "tcp 2222": "ssh_port_t"})
	moduletest.Marks(t, h, module.Mark{Kind: Mark, ID: "tcp 2222", Prior: "http_port_t"}, module.Mark{Kind: Mark, ID: "tcp 80"})
	absent := task(t, "ports = [\"22\", \"2222\", \"80\"]\nstate = \"absent\"")
	moduletest.WantTexts(t, absent, h, "give port tcp 2222 the type http_port_t again", "take the type ssh_port_t from port tcp 80")
	moduletest.Settle(t, absent, h)
	moduletest.Same(t, "what the host adds", p.Local, map[string]string{"tcp 2222": "http_port_t"})
}

func TestTypeOfTheHostCountsBeforeThatOfThePolicy(t *testing.T) {
	t.Parallel()
	h := semanagetest.Host(t, "", policy(map[string]string{"tcp 80": "ssh_port_t"}))
	moduletest.WantTexts(t, task(t, "type = \"http_port_t\"\nports = [\"80\"]"), h, "give port tcp 80 the type http_port_t, was ssh_port_t")
}

func TestUnknownTypeIsTheProgramsError(t *testing.T) {
	t.Parallel()
	h := semanagetest.Host(t, "", policy(map[string]string{}))
	got := moduletest.Apply(t, task(t, "type = \"sshd_port_t\"\nports = [\"2222\"]"), h)
	if !strings.Contains(got, "Type sshd_port_t is invalid, must be a port type") {
		t.Error(got)
	}
}

func TestWithoutAnOwnerThePolicyCountsAgain(t *testing.T) {
	t.Parallel()
	h := semanagetest.Host(t, "", policy(map[string]string{"tcp 2222": "ssh_port_t"}))
	moduletest.WantTexts(t, task(t, "ports = [\"22\", \"2222\"]\nstate = \"absent\""), h, "take the type ssh_port_t from port tcp 2222")
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`ports = ["22"]`:                                     `want type, such as "ssh_port_t": "semanage port -l" lists those of the policy`,
		"type = \"ssh_port_t\"\nports = []":                  `ports is empty, want at least one, such as "2222"`,
		"type = \"ssh_port_t\"\nports = [\"ssh\"]":           `ports has "ssh", want a port or a range, such as "2222" or "6000-6010"`,
		"type = \"ssh_port_t\"\nports = [\"22-22\"]":         `ports has "22-22", want a port or a range, such as "2222" or "6000-6010"`,
		"type = \"ssh_port_t\"\nports = [\"70000\"]":         `ports has "70000", want a port or a range, such as "2222" or "6000-6010"`,
		"type = \"t\"\nports = [\"1\"]\nprotocol = \"icmp\"": `protocol is "icmp", want one of tcp, udp, dccp, sctp`,
	} {
		moduletest.Refused(t, task(t, args), want)
	}
}

//go:build linux

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/scm"
)

// Where OpenSSH for Windows keeps its key, and the keys of all administrators.
const (
	folderOfSSH = `C:\ProgramData\ssh`
	hostKeyFile = folderOfSSH + `\ssh_host_ed25519_key`
	loginFile   = folderOfSSH + `\administrators_authorized_keys`
	ruleOfSSH   = "OpenSSH-Server-In-TCP"
)

// openSSH lets administrators in with keys, as somebody has done on a machine that exists:
// before it is started, and only the first time.
func (o options) openSSH(m *machine.Machine) error {
	if o.authorizedKeys == "" {
		return nil
	}
	if _, err := m.Files.Stat(folderOfSSH); err != nil {
		if err := m.Files.Mkdir(folderOfSSH); err != nil {
			return err
		}
	}
	if err := errors.Join(bring(m, o.hostKey, hostKeyFile), bring(m, o.authorizedKeys, loginFile)); err != nil {
		return err
	}
	list, err := ntfs.ParseSDDL("O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)")
	if err != nil {
		return err
	}
	if err := m.Files.SetSecurity(loginFile, list); err != nil {
		return err
	}
	if err := m.Accounts.ChangeUser("Administrator", func(u *account.User) { u.Disabled = false }); err != nil {
		return err
	}
	if err := m.Services.Change("sshd", func(c *scm.Config) { c.Start = scm.Auto }); err != nil {
		return err
	}
	for _, rule := range m.Firewall.Rules() {
		if rule.Name == ruleOfSSH {
			return m.Firewall.Change(ruleOfSSH, func(r *firewall.Rule) { r.Enabled = true })
		}
	}
	return m.Firewall.Add(firewall.Rule{
		Name: ruleOfSSH, DisplayName: "OpenSSH SSH Server (sshd)", Enabled: true, Direction: "Inbound", Action: "Allow", Protocol: "TCP", LocalPort: []string{"22"},
	})
}

// bring puts a file of the real host on the machine's disk; no name is no file.
func bring(m *machine.Machine, from, to string) error {
	if from == "" {
		return nil
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return m.Files.WriteFile(to, text)
}

// follow makes a route of the machine one of the real host.
func follow(r network.Route, there bool) error {
	verb := map[bool]string{true: "replace", false: "delete"}[there]
	argv := []string{"ip", "route", verb, r.Prefix.String(), "via", r.Gateway.String()}
	if said, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, strings.TrimSpace(string(said)))
	}
	return nil
}

package machine

import (
	"bytes"

	"golang.org/x/crypto/ssh"

	"kinit/test/winsim/machine/account"
)

// keysOfAdministrators is the file with the SSH keys of all administrators
// (OpenSSH for Windows' sshd_config_default).
const keysOfAdministrators = `C:\ProgramData\ssh\administrators_authorized_keys`

// certificateMappings is where WinRM keeps which client certificate is whose: a value
// a certificate, its thumbprint the name and the user's name the text.
const certificateMappings = windowsVersion + `\WSMAN\CertMapping`

// Password reports whether a user may log on over the network with a password.
func (m *Machine) Password(user, password string) bool { return m.Accounts.Check(user, password) }

// NTHash is what NTLM compares for a user.
func (m *Machine) NTHash(user string) ([]byte, bool) { return m.Accounts.NTHash(user) }

// Certificate is the user that a client certificate is mapped to.
func (m *Machine) Certificate(thumbprint string) (string, bool) {
	v, ok := m.Registry.Get(certificateMappings, thumbprint)
	return v.Text, ok
}

// Key reports whether an SSH key is a user's. For administrators the keys are in one file
// of their own, which counts only when no other user can write to it.
func (m *Machine) Key(user string, key ssh.PublicKey) bool {
	u, err := m.Accounts.User(user)
	if err != nil || u.Disabled {
		return false
	}
	path := m.Home(u.SID) + `\.ssh\authorized_keys`
	if m.Accounts.IsMember(account.AdministratorsSID, u.SID) {
		path = keysOfAdministrators
		if !m.safe(path) {
			m.Log("sshd: bad permissions of %s", path)
			return false
		}
	}
	rest, err := m.Files.ReadFile(path)
	for err == nil && len(bytes.TrimSpace(rest)) > 0 {
		var one ssh.PublicKey
		one, _, _, rest, err = ssh.ParseAuthorizedKey(rest)
		if err == nil && bytes.Equal(one.Marshal(), key.Marshal()) {
			return true
		}
	}
	return false
}

// safe reports whether only the system and administrators have any access to a file.
func (m *Machine) safe(path string) bool {
	s, err := m.Files.Security(path)
	if err != nil {
		return false
	}
	for _, e := range s.Entries {
		if e.SID != account.SystemSID && e.SID != account.AdministratorsSID && !e.Deny {
			return false
		}
	}
	return true
}

package inventory

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// windows reads Ansible's variables for a Windows host: its shell, and over WinRM the login
// and the trusted certificate. The names are those of its connection plug-ins winrm and
// psrp.
func (c connection) windows() {
	if kind, _ := c.text("ansible_shell_type"); c.Transport == SSH && (kind == "powershell" || kind == "cmd") {
		c.OS = Windows
	}
	if c.Transport != WinRM {
		return
	}
	c.OS = Windows
	c.login()
	c.trust()
	c.clientCertificate()
	for _, name := range []string{"ansible_winrm_path", "ansible_psrp_path", "ansible_winrm_message_encryption", "ansible_psrp_message_encryption", "ansible_psrp_proxy"} {
		if text, _ := c.text(name); text != "" {
			c.warn(name, "Setting not used", "kinit talks WinRM in its own way and does not use %s.", name)
		}
	}
}

// login reads how to log in. The default is basic over HTTPS, as in Ansible, and NTLM over
// HTTP, where kinit encrypts the messages: it sends no password in clear text.
func (c connection) login() {
	scheme, _ := c.text("ansible_winrm_scheme", "ansible_psrp_protocol")
	if scheme == "http" || scheme == "" && c.Port == 5985 {
		c.Auth = NTLM
	}
	text, name := c.text("ansible_winrm_transport", "ansible_psrp_auth")
	if text == "" {
		return
	}
	known := map[string]string{"basic": Basic, "ssl": Basic, "plaintext": Basic, "ntlm": NTLM, "negotiate": NTLM, "certificate": Certificate}
	for _, kind := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		if auth := known[strings.ToLower(kind)]; auth != "" {
			c.chosen(name, auth, scheme)
			return
		}
	}
	c.problem(c.Origins[name].At, "Unknown login", "kinit logs in over WinRM by basic, ntlm or certificate, not by %q.", text)
}

// chosen sets a way to log in, if it is allowed with the scheme.
func (c connection) chosen(name, auth, scheme string) {
	switch {
	case auth != NTLM && scheme == "http":
		c.problem(c.Origins[name].At, "Password in clear", "kinit does not log in by %s over HTTP, which anybody can read: use HTTPS, or ntlm.", auth)
	case auth == NTLM && scheme == "https":
		c.warn(name, "Setting not used", "kinit logs in by ntlm over HTTP, where it seals each message, and over HTTPS by basic: it does the latter.")
		c.Auth = Basic
	default:
		c.Auth = auth
	}
}

// trust reads which certificate is accepted. Unverified certificates are never accepted.
func (c connection) trust() {
	file, name := c.text("ansible_winrm_ca_trust_path", "ansible_psrp_ca_cert")
	if file != "" {
		text, err := os.ReadFile(c.path(file))
		if err != nil {
			c.problem(c.Origins[name].At, "Unreadable certificate", "%s cannot be read: %v.", file, withoutPath(err))
			return
		}
		c.Certificate = string(text)
	}
	validation, name := c.text("ansible_winrm_server_cert_validation", "ansible_psrp_cert_validation")
	if validation == "ignore" && c.Certificate == "" && c.Auth != NTLM {
		c.warn(name, "Setting not used", "kinit verifies the certificate of every host. Where no authority has signed it that this machine trusts, give the certificate by ansible_winrm_ca_trust_path.")
	}
}

// withoutPath returns the reason of a file's error.
func withoutPath(err error) error {
	var named *fs.PathError
	if errors.As(err, &named) {
		return named.Err
	}
	return err
}

// clientCertificate reads the files of a login by certificate.
func (c connection) clientCertificate() {
	var files []string
	for _, names := range [][]string{{"ansible_winrm_cert_pem", "ansible_psrp_certificate_pem"}, {"ansible_winrm_cert_key_pem", "ansible_psrp_certificate_key_pem"}} {
		if file, _ := c.text(names...); file != "" {
			files = append(files, c.path(file))
		}
	}
	if len(files) > 0 {
		c.IdentityFiles = slices.Compact(files)
	}
}

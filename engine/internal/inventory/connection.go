package inventory

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
	"kinit/engine/secret"
)

// connection reads Ansible's variables for how a host is reached. Their names come from its
// documentation, "Connecting to hosts: behavioral inventory parameters".
type connection struct {
	*Host
	loader *loader
}

// text returns the first set variable as text, and its name. An empty or null variable
// counts as not set.
func (c connection) text(names ...string) (text, name string) {
	for _, name := range names {
		origin, set := c.Origins[name]
		if set && origin.Unread == source.Vault {
			return "", name // was reported
		}
		if set && origin.Unread != source.Known {
			c.problem(origin.At, "Unreadable setting", "%s says how the host is reached, but its value is %s.", name, origin.Unread)
			return "", name
		}
		value, ok := c.Vars[name]
		if !ok || value.IsNull() {
			continue
		}
		text, ok := scalarText(value)
		if !ok {
			c.problem(origin.At, "Invalid setting", "%s must be text, not a list or a map.", name)
			return "", name
		}
		if text != "" {
			return text, name
		}
	}
	return "", ""
}

// take sets a setting to the text of the first set variable.
func (c connection) take(setting *string, names ...string) {
	if text, _ := c.text(names...); text != "" {
		*setting = text
	}
}

// path returns the path of a file, relative to the working folder as in ssh.
func (c connection) path(file string) string {
	files := c.loader.src.files()
	return files.Abs(files.Expand(file))
}

// warn adds a warning at the place of a variable.
func (c connection) warn(variable, summary, format string, args ...any) {
	c.Problems = append(c.Problems, diag.Warnf(at(c.Origins[variable].At), summary, format, args...)...)
}

func (c connection) port() {
	text, name := c.text("ansible_port", "ansible_ssh_port")
	if text == "" {
		return
	}
	port, ok := wholeNumber(c.Vars[name])
	if !ok || port < 1 || port > 65535 {
		c.problem(c.Origins[name].At, "Invalid port", "%s must be a number from 1 to 65535, not %q.", name, text)
		return
	}
	c.Port = port
}

// transport reads ansible_connection. A name may start with its collection.
func (c connection) transport() {
	text, name := c.text("ansible_connection")
	if text == "" {
		return
	}
	at := c.Origins[name].At
	known := []string{"ssh", "local", "winrm"}
	switch kind := text[strings.LastIndexByte(text, '.')+1:]; kind {
	case "ssh", "smart", "paramiko", "paramiko_ssh":
		c.Transport = SSH
	case "local":
		c.Transport, c.FromSSHConfig = Local, false
	case "winrm", "psrp":
		c.Transport, c.FromSSHConfig = WinRM, false
	default:
		c.problem(at, "Unknown connection", "kinit connects by ssh, winrm or local, not by %q.%s", text, diag.Near(text, known))
	}
}

// become reads the user to become, the method and the password. The latter two are also those of tasks that become a user.
func (c connection) become() {
	method, name := c.text("ansible_become_method")
	switch kind := method[strings.LastIndexByte(method, '.')+1:]; kind {
	case "", Sudo, Doas, Su:
		c.BecomeMethod = kind
	default:
		c.problem(c.Origins[name].At, "Unknown become method", "kinit becomes another user by sudo, doas or su, not by %q.", method)
	}
	password, _ := c.text("ansible_become_password", "ansible_become_pass", "ansible_sudo_pass")
	c.BecomePassword = secret.Value(password)
	if _, name := c.text("ansible_become_flags", "ansible_become_exe"); name != "" {
		c.warn(name, "Setting not used", "kinit calls %s in its own way and does not use %s.", cmp.Or(c.BecomeMethod, Sudo), name)
	}
	text, name := c.text("ansible_become")
	if text == "" {
		return
	}
	wanted, ok := isTrue(text)
	if !ok {
		c.problem(c.Origins[name].At, "Invalid setting", "ansible_become must be true or false, not %q.", text)
	}
	if !wanted {
		return
	}
	c.Become = "root"
	c.take(&c.Become, "ansible_become_user")
}

func (c connection) password() {
	text, _ := c.text("ansible_password", "ansible_ssh_pass", "ansible_ssh_password")
	c.Password = secret.Value(text)
}

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
	if named, ok := errors.AsType[*fs.PathError](err); ok {
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

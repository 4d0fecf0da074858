package inventory

import (
	"fmt"
	"path/filepath"
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

// path returns the path of a file, relative to the working folder as in ssh.
func (c connection) path(file string) string {
	if rest, ok := strings.CutPrefix(file, "~/"); ok {
		return filepath.Join(c.loader.src.Home, rest)
	}
	return c.loader.src.files().Abs(file)
}

// warn adds a warning at the place of a variable.
func (c connection) warn(variable, summary, format string, args ...any) {
	list := diag.Errorf(at(c.Origins[variable].At), summary, "%s", fmt.Sprintf(format, args...))
	list[0].Warning = true
	c.Problems = append(c.Problems, list...)
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

// become reads the user to become. The method is sudo, without a password.
func (c connection) become() {
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
	if user, _ := c.text("ansible_become_user"); user != "" {
		c.Become = user
	}
	method, name := c.text("ansible_become_method")
	if kind := method[strings.LastIndexByte(method, '.')+1:]; kind != "" && kind != "sudo" {
		c.problem(c.Origins[name].At, "Unknown become method", "kinit becomes another user by sudo, not by %q.", method)
	}
	if _, name := c.text("ansible_become_password", "ansible_become_pass"); name != "" {
		c.warn(name, "Password not used", "kinit calls sudo without a password: allow that on the host, by NOPASSWD in its sudoers file.")
	}
	if _, name := c.text("ansible_become_flags", "ansible_become_exe"); name != "" {
		c.warn(name, "Setting not used", "kinit calls sudo in its own way and does not use %s.", name)
	}
}

func (c connection) password() {
	text, name := c.text("ansible_password", "ansible_ssh_pass", "ansible_ssh_password")
	if text == "" {
		return
	}
	c.Password = secret.Value(text)
	if c.Transport == SSH {
		c.warn(name, "Password not used", "kinit logs in over SSH with a key or an agent and does not use %s.", name)
	}
}

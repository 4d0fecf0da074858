package ssh

import "kinit/engine/shell"

// The ways to become another user. Sudo and Doas need a rule that lets the login
// do so without a password; Su needs the login to be root.
const (
	Sudo = "sudo"
	Doas = "doas"
	Su   = "su"
)

// method is how to become the user.
func (c Config) method() string {
	if c.BecomeMethod == "" {
		return Sudo
	}
	return c.BecomeMethod
}

// asUser is the line that runs a command as the user to become, where there is one.
func asUser(c Config, argv ...string) string {
	if c.Become == "" {
		return "exec " + shell.POSIX(argv...)
	}
	switch c.method() {
	case Doas:
		argv = append([]string{"doas", "-n", "-u", c.Become}, argv...)
	case Su:
		argv = []string{"su", "-s", "/bin/sh", "-c", "exec " + shell.POSIX(argv...), c.Become}
	default:
		argv = append([]string{"sudo", "-n", "-H", "-u", c.Become, "--"}, argv...)
	}
	return "exec " + shell.POSIX(argv...)
}

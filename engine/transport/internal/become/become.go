// Package become makes the command lines that run a program as another user, by sudo, doas,
// su or a given command, for all transports.
package become

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/shell"
)

// The ways to become another user. Sudo and Doas need a rule that lets the login do so
// without a password; Su needs the login to be root.
const (
	Sudo = "sudo"
	Doas = "doas"
	Su   = "su"
	// Other is by a command that is given.
	Other = "a command"
)

// User is who to become, and how.
type User struct {
	Name   string // empty means the login itself
	Method string // Sudo, Doas or Su; Sudo when empty
	// Enter, when set, is a command that runs the program behind it, in place of a
	// method.
	Enter []string

	Login, Host string // who becomes the user, and on which machine, for messages
}

// By is how to become the user.
func (u User) By() string {
	if len(u.Enter) > 0 {
		return Other
	}
	return cmp.Or(u.Method, Sudo)
}

// Line is the line for a POSIX shell that replaces the shell by a command of the user.
func (u User) Line(argv ...string) string {
	if u.Name == "" {
		return "exec " + shell.POSIX(argv...)
	}
	switch u.By() {
	case Other:
		argv = append(slices.Clone(u.Enter), argv...)
	case Doas:
		argv = append([]string{"doas", "-n", "-u", u.Name}, argv...)
	case Su:
		argv = []string{"su", "-s", "/bin/sh", "-c", "exec " + shell.POSIX(argv...), u.Name}
	default:
		argv = append([]string{"sudo", "-n", "-H", "-u", u.Name, "--"}, argv...)
	}
	return "exec " + shell.POSIX(argv...)
}

// FileServer is a script that prints the mark and becomes OpenSSH's SFTP server, from
// where the distributions have it.
func FileServer(mark string) string {
	return `for p in /usr/lib/openssh/sftp-server /usr/libexec/openssh/sftp-server ` +
		`/usr/lib/ssh/sftp-server /usr/libexec/sftp-server; do ` +
		`[ -x $p ] && { printf ` + mark + `; exec $p; }; done; echo "` + noServer + `" >&2; exit 127`
}

const noServer = "there is no sftp-server program"

// NoFileServer returns the error for a FileServer that did not begin. said is what it wrote to standard error.
func (u User) NoFileServer(said string) error {
	if strings.Contains(said, noServer) {
		return fmt.Errorf("start the SFTP server as %s: %s", u.Name, said)
	}
	return u.Ended(false, said)
}

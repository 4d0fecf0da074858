package app

import (
	"os"
	"slices"
	"strings"
)

// PasswordVariable is the environment variable with the password to log in to hosts.
const PasswordVariable = "KINIT_PASSWORD"

// BecomePasswordVariable is the environment variable with the password for sudo on the hosts.
const BecomePasswordVariable = "KINIT_BECOME_PASSWORD"

// secretVariables are the environment variables with passwords for hosts. Programs that kinit starts do not get them.
var secretVariables = []string{PasswordVariable, BecomePasswordVariable}

// ChildEnviron is the environment for programs that kinit starts.
func (a *App) ChildEnviron() []string {
	return slices.DeleteFunc(slices.Clone(a.Environ), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(secretVariables, name)
	})
}

// forgetSecrets removes passwords from the environment of this process, which its children inherit.
func forgetSecrets() {
	for _, name := range secretVariables {
		_ = os.Unsetenv(name) // it fails for a name that cannot be one
	}
}

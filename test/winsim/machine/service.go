package machine

import (
	"context"
	"strings"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
)

// svchost is the command line of a service that is part of Windows.
func svchost(service string) string {
	return `%SystemRoot%\system32\svchost.exe -k netsvcs -p -s ` + service
}

// launchService starts the program of a service. Its environment is that of the boot:
// what was set since reaches services only after the next one. The arguments of the
// start are for the service's main function and no part of the command line; no program
// here has one.
func (m *Machine) launchService(ctx context.Context, c scm.Config, _ []string, control *scm.Control) (int, <-chan uint32, error) {
	user, err := m.ServiceUser(c.Account)
	if err != nil {
		return 0, nil, err
	}
	env := m.serviceEnvironment(user)
	for _, pair := range c.Environment {
		if name, value, ok := strings.Cut(pair, "="); ok {
			env.Set(name, value)
		}
	}
	line := env.Expand(c.Image)
	program, rest := m.splitImage(line)
	p, err := m.Launch(ctx, Start{
		Program: program, Args: SplitArgs(rest), Line: line, Env: env, User: user, Service: control,
	})
	if err != nil {
		return 0, nil, err
	}
	exit := make(chan uint32, 1)
	m.spawn(func(context.Context) { exit <- p.Wait() })
	return p.ID, exit, nil
}

// ServiceUser is the SID of the account that a service runs as. The names of the
// system's own accounts are the same in every language here.
func (m *Machine) ServiceUser(name string) (string, error) {
	switch strings.ToLower(name) {
	case "", "localsystem", `nt authority\system`, `.\localsystem`:
		return account.SystemSID, nil
	case `nt authority\localservice`, `nt authority\local service`:
		return account.LocalServiceSID, nil
	case `nt authority\networkservice`, `nt authority\network service`:
		return account.NetworkServiceSID, nil
	}
	u, err := m.Accounts.User(name)
	if err != nil || u.Disabled {
		return "", winerr.Of(winerr.LogonFailed, "log on", name)
	}
	return u.SID, nil
}

func (m *Machine) serviceEnvironment(user string) *Environment {
	m.mu.Lock()
	env := m.services
	m.mu.Unlock()
	if user != account.SystemSID || env == nil {
		return m.Environment(user)
	}
	return env.Clone()
}

// splitImage separates the program of a command line as CreateProcess does: in quotes,
// or the shortest beginning, up to a space, that is a file.
func (m *Machine) splitImage(line string) (program, rest string) {
	line = strings.TrimSpace(line)
	if quoted, ok := strings.CutPrefix(line, `"`); ok {
		program, rest, _ = strings.Cut(quoted, `"`)
		return program, rest
	}
	for i := 0; i <= len(line); i++ {
		if i < len(line) && line[i] != ' ' {
			continue
		}
		if _, err := m.FindProgram(line[:i], SystemFolder, m.Environment(account.SystemSID)); err == nil {
			return line[:i], line[i:]
		}
	}
	program, rest, _ = strings.Cut(line, " ")
	return program, rest
}

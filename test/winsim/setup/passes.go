package setup

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/registry"
)

// specialize is the pass of that name.
func (s *System) specialize(ctx context.Context) error {
	if name, there := s.answers.value("specialize", shellComponent, "ComputerName"); there && name != "*" {
		if len(name) > 15 {
			return fmt.Errorf("the computer name %q is longer than 15 characters", name)
		}
		if err := s.Rename(name); err != nil {
			return err
		}
	}
	if zone, there := s.answers.value("specialize", shellComponent, "TimeZone"); there && zone != "UTC" {
		return fmt.Errorf("the time zone %q is not simulated, only UTC is", zone)
	}
	const terminal = "Microsoft-Windows-TerminalServices-LocalSessionManager"
	if deny, there := s.answers.value("specialize", terminal, "fDenyTSConnections"); there {
		number := map[string]uint32{"true": 1, "false": 0}[deny]
		if err := s.Registry.Set(`HKLM\SYSTEM\CurrentControlSet\Control\Terminal Server`, registry.Number("fDenyTSConnections", number)); err != nil {
			return err
		}
	}
	for _, g := range s.answers.all("specialize", "Networking-MPSSVC-Svc", "FirewallGroups/FirewallGroup") {
		if err := s.openGroup(g); err != nil {
			return err
		}
	}
	for _, c := range inOrder(s.answers.all("specialize", "Microsoft-Windows-Deployment", "RunSynchronous/RunSynchronousCommand")) {
		if err := s.synchronous(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// openGroup switches the rules of a group on or off.
func (s *System) openGroup(g *element) error {
	group, _ := g.value("Group")
	active, _ := g.value("Active")
	found := false
	for _, r := range s.Firewall.Rules() {
		if r.Group != group {
			continue
		}
		found = true
		if err := s.Firewall.Change(r.Name, func(r *firewall.Rule) { r.Enabled = active == "true" }); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("the firewall has no group %q", group)
	}
	return nil
}

// synchronous runs a command of the system. With 1 it asks for a restart, which comes at
// the end of the pass anyhow; any other code but 0 ends the installation.
func (s *System) synchronous(ctx context.Context, c *element) error {
	line, _ := c.value("Path")
	if len(line) > 259 {
		return fmt.Errorf("the command is longer than 259 characters: %s", line)
	}
	code, err := s.run(ctx, line, account.SystemSID)
	if err != nil {
		return err
	}
	reboot, _ := c.value("WillReboot")
	if code == 0 || code == 1 && reboot == "OnRequest" {
		return nil
	}
	return fmt.Errorf("a command of the pass specialize ended with code %d: %s", code, line)
}

// oobe is the first start: the administrator's password, the login and its commands.
func (s *System) oobe(ctx context.Context) error {
	if err := s.administrator(); err != nil {
		return err
	}
	u, err := s.autoLogon()
	if err != nil || u == nil {
		return errors.Join(err, s.stage(installed))
	}
	// They are run once, however they end: a restart in the middle loses the rest.
	if err := s.stage(installed); err != nil {
		return err
	}
	s.Logon(u.SID)
	for _, c := range inOrder(s.answers.all("oobeSystem", shellComponent, "FirstLogonCommands/SynchronousCommand")) {
		line, _ := c.value("CommandLine")
		code, err := s.run(ctx, line, u.SID)
		if errors.Is(err, machine.ErrOff) {
			s.Log("Setup: the computer restarts in the middle of the first login")
			return nil
		}
		if err != nil {
			return err
		}
		s.Log("Setup: a command of the first login ended with code %d", code)
	}
	return nil
}

func (s *System) administrator() error {
	for _, e := range s.answers.all("oobeSystem", shellComponent, "UserAccounts/AdministratorPassword") {
		password, err := e.password()
		if err != nil {
			return err
		}
		if err := s.Accounts.SetPassword("Administrator", password); err != nil {
			return fmt.Errorf("set the administrator's password: %w", err)
		}
	}
	return nil
}

// winlogon is where a login by itself is set up.
const winlogon = `HKLM\SOFTWARE\Microsoft\Windows NT\CurrentVersion\Winlogon`

// autoLogon logs in the user whom the answers name, if any.
func (s *System) autoLogon() (*account.User, error) {
	all := s.answers.all("oobeSystem", shellComponent, "AutoLogon")
	if len(all) == 0 {
		return nil, nil
	}
	if enabled, _ := all[0].value("Enabled"); enabled != "true" {
		return nil, nil
	}
	name, _ := all[0].value("Username")
	passwords := all[0].at("Password")
	if len(passwords) != 1 {
		return nil, errors.New("the login by itself has no password")
	}
	password, err := passwords[0].password()
	if err != nil {
		return nil, err
	}
	if !s.Password(name, password) {
		return nil, fmt.Errorf("the login by itself of %s failed: the user name or password is incorrect", name)
	}
	err = s.Registry.Set(winlogon, registry.Text("AutoAdminLogon", "1"), registry.Text("DefaultUserName", name), registry.Text("DefaultPassword", password),
		registry.Number("AutoLogonCount", uint32(all[0].number("LogonCount"))))
	if err != nil {
		return nil, err
	}
	u, err := s.Accounts.User(name)
	if err != nil {
		return nil, err
	}
	return &u, s.MakeProfile(name)
}

// run runs a command line as a user, with what it writes on the console.
func (s *System) run(ctx context.Context, line, user string) (uint32, error) {
	s.Log("Setup: runs %s", line)
	words := machine.SplitArgs(line)
	if len(words) == 0 {
		return 0, errors.New("a command is empty")
	}
	out := &lines{log: s.Log}
	p, err := s.Launch(ctx, machine.Start{Program: words[0], Args: words[1:], Line: line, User: user, Stdout: out, Stderr: out})
	if err != nil {
		return 0, err
	}
	code := p.Wait()
	out.flush()
	if err := p.Failure(); err != nil {
		return code, err
	}
	if !s.On() {
		return code, machine.ErrOff
	}
	return code, nil
}

// lines writes whole lines to a log.
type lines struct {
	log func(format string, args ...any)

	mu   sync.Mutex
	rest string
}

// Write takes output in pieces.
func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest += string(p)
	for {
		line, rest, ok := strings.Cut(l.rest, "\n")
		if !ok {
			return len(p), nil
		}
		l.log("| %s", strings.TrimSuffix(line, "\r"))
		l.rest = rest
	}
}

// flush writes what has no end.
func (l *lines) flush() {
	if l.rest != "" {
		_, _ = l.Write([]byte("\n")) // never fails
	}
}

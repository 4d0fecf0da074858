package machine

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/process"
)

var (
	_ process.Runner = (*Machine)(nil)
	_ process.Login  = (*Machine)(nil)
)

// Run runs a command that came over the network, as the user who logged in: a command
// line of cmd.exe, or a program with its arguments.
func (m *Machine) Run(ctx context.Context, c process.Command) (uint32, error) {
	u, err := m.Accounts.User(c.User)
	if err != nil {
		return 0, fmt.Errorf("run a command as %s: %w", c.User, err)
	}
	if err := m.MakeProfile(u.SID); err != nil {
		return 0, err
	}
	env := m.Environment(u.SID)
	for name, value := range c.Env {
		env.Set(name, value)
	}
	start := Start{
		Program: c.Line, Args: c.Args, Env: env, User: u.SID, Dir: c.Dir, Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
	}
	if c.Args == nil {
		start.Program, start.Args = SystemFolder+`\cmd.exe`, []string{"/c", c.Line}
		start.Line = start.Program + " /c " + c.Line
	}
	if start.Dir == "" {
		start.Dir = m.Home(u.SID)
	}
	p, err := m.Launch(ctx, start)
	var code *winerr.Error
	switch {
	case errors.As(err, &code):
		fmt.Fprintf(c.Stderr, "%s\r\n", strings.ReplaceAll(m.Text(code.Code), "%1", start.Program))
		return 1, nil
	case errors.Is(err, ErrOff):
		// There is no one to read an answer.
		return 1, nil
	case err != nil:
		return 0, err
	}
	exit := p.Wait()
	return exit, p.Failure()
}

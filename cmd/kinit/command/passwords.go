package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v2"
	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/secret"
	"kinit/engine/shell"
)

// password is one password of a run and where it comes from: the flags, then the environment.
type password struct {
	ask      string // the flag that asks on the terminal
	short    string
	file     string // the flag with a file
	question string
	variable string // with the password itself; with _FILE after it, a file
	argument string // of a host in inventories, for messages
}

var becomePassword = password{
	ask: "ask-become-pass", short: "K", file: "become-password-file",
	question: "Password for sudo on the hosts", variable: app.BecomePasswordVariable, argument: "become_password",
}

var loginPassword = password{
	ask: "ask-pass", short: "k", file: "password-file",
	question: "Password to log in to the hosts", variable: app.PasswordVariable, argument: "password",
}

// PasswordFlags say which passwords a command has for hosts.
func PasswordFlags() []cli.Flag {
	return []cli.Flag{
		HeadInput.Switch(loginPassword.ask, "ask for the password to log in; default: $"+loginPassword.variable, loginPassword.short),
		HeadInput.Text(loginPassword.file, "read that password from `FILE`; if it is executable, from its output"),
		HeadInput.Switch(becomePassword.ask, "ask for the password for sudo; default: $"+becomePassword.variable, becomePassword.short),
		HeadInput.Text(becomePassword.file, "read that password from `FILE`; if it is executable, from its output"),
	}
}

// Passwords returns the passwords that flags and the environment give, and asks for those that are wanted.
func Passwords(a *app.App, c *cli.Context) (engine.Passwords, error) {
	login, err := loginPassword.value(a, c)
	if err != nil {
		return engine.Passwords{}, err
	}
	become, err := becomePassword.value(a, c)
	return engine.Passwords{Login: login, Become: become}, err
}

func (p password) value(a *app.App, c *cli.Context) (secret.Value, error) {
	if !has(c, p.ask) {
		return "", nil
	}
	if c.Bool(p.ask) && c.IsSet(p.file) {
		return "", exit.Usagef(c.Command.HelpName, "give --%s or --%s, not both", p.ask, p.file)
	}
	file := c.String(p.file)
	switch {
	case c.Bool(p.ask):
		return p.asked(a, c)
	case file != "":
	case a.Env(p.variable) != "":
		return secret.Value(a.Env(p.variable)), nil
	default:
		if file = a.Env(p.variable + "_FILE"); file == "" {
			return "", nil
		}
	}
	return PasswordFrom(c.Context, a, file)
}

// has reports whether a command has a flag.
func has(c *cli.Context, name string) bool {
	return slices.ContainsFunc(c.Command.Flags, func(f cli.Flag) bool { return slices.Contains(f.Names(), name) })
}

// asked asks for the password on the terminal.
func (p password) asked(a *app.App, c *cli.Context) (secret.Value, error) {
	tty, done, err := terminal(a)
	if err != nil {
		return "", exit.Usagef(c.Command.HelpName, "--%s needs a terminal, and kinit has none: give the password by --%s, by $%s, or by %s in the inventory",
			p.ask, p.file, p.variable, p.argument)
	}
	defer done()
	value, err := AskSecret(a, p.question+": ", tty)
	if err == nil && value == "" {
		err = errors.New("no password was given")
	}
	return value, err
}

// terminal returns the terminal of the process, also if standard input is something else.
func terminal(a *app.App) (fd int, done func(), err error) {
	if in, ok := a.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		return int(in.Fd()), func() {}, nil
	}
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return 0, nil, err
	}
	return int(tty.Fd()), func() { _ = tty.Close() }, nil
}

// AskSecret asks for a value on a terminal and reads it there without echo, and turns echo on again afterwards,
// also after an interrupt.
func AskSecret(a *app.App, question string, terminal int) (secret.Value, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	say := func(text string) {
		if _, err := unix.Write(terminal, []byte(text)); err != nil { // it is open for reading alone
			_, _ = io.WriteString(a.Err, text)
		}
	}
	say(question)
	text, err := Awaited(a, func() ([]byte, error) { return term.ReadPassword(terminal) })
	say("\n")
	return secret.Value(text), errors.Join(err, term.Restore(terminal, before))
}

// Awaited reads input from the user. A signal ends the wait; an unfinished read ends with
// the program.
func Awaited(a *app.App, read func() ([]byte, error)) ([]byte, error) {
	signals, restore := a.Signals()
	defer restore()
	return firstOf(read, signals, func() error { return exit.Code(exit.Interrupted) })
}

// firstOf returns what read returns, or the error of why if over receives a value or is closed first.
func firstOf[T any](read func() ([]byte, error), over <-chan T, why func() error) ([]byte, error) {
	type answer struct {
		text []byte
		err  error
	}
	given := make(chan answer, 1)
	go func() {
		text, err := read()
		given <- answer{text, err}
	}()
	select {
	case a := <-given:
		return a.text, a.err
	case <-over:
		return nil, why()
	}
}

// longestPassword is the most, in bytes, that is read as a password.
const longestPassword = 64 << 10

// PasswordFrom returns the password in a file or, if that is executable, the one that it prints. Line ends behind it do not
// belong to it.
func PasswordFrom(ctx context.Context, a *app.App, file string) (secret.Value, error) {
	path := a.Abs(shell.ExpandHome(file, a.Env("HOME")))
	if err := a.Trust().Named(path); err != nil {
		return "", fmt.Errorf("the password file %s is %w", file, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", fmt.Errorf("the password file: %w", err)
	}
	var text []byte
	if info.Mode()&0o111 != 0 && info.Mode().IsRegular() {
		text, err = printed(ctx, a, path)
	} else {
		text, err = os.ReadFile(path)
	}
	if err != nil {
		return "", fmt.Errorf("the password file %s: %w", file, err)
	}
	value := strings.TrimRight(string(text), "\r\n")
	if value == "" || len(value) > longestPassword {
		return "", fmt.Errorf("the password file %s has no password", file)
	}
	return secret.Value(value), nil
}

// printed is what a program prints. It may ask on the terminal.
func printed(ctx context.Context, a *app.App, path string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, path)
	cmd.Dir, cmd.Env, cmd.Stderr, cmd.WaitDelay = a.Cwd, a.ChildEnviron(), a.Err, time.Second
	text, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("its program failed: %w", err)
	}
	return text, nil
}

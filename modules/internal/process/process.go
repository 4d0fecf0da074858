// Package process runs the program of a task and evaluates its result, for
// the modules command, shell and script.
package process

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/lineend"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
)

// Process is a program with its environment, and its conditions of success.
type Process struct {
	Argv       []string
	PowerShell string // a script instead of a program, on Windows hosts
	Env        map[string]string
	Dir        string
	Stdin      string
	OKCodes    []int
	Expect     string // a text or regular expression that its output must contain
	Judged     bool   // the playbook evaluates the result: OKCodes and Expect are ignored
	Shown      string // its name in messages; its command line when empty
}

// Result is a program's output and exit code.
type Result struct {
	Stdout, Stderr string
	Code           int
}

// Show returns the program's name for messages: on one line, without secrets.
func (p Process) Show(h module.Host) string {
	if p.Shown != "" {
		return cmdtext.Shorten(h.Redact(p.Shown))
	}
	return cmdtext.Show(h, p.Argv)
}

// Run runs the program. Its lines are progress. A failed program also has a result.
func (p Process) Run(ctx context.Context, h module.Host) (Result, error) {
	c := p.command()
	c.Line = cmdtext.Progress(h)
	out, err := h.Run(ctx, c)
	return p.result(h, out, err)
}

func (p Process) result(h module.Host, out module.Output, err error) (Result, error) {
	result := Result{Stdout: out.Stdout, Stderr: out.Stderr}
	if exit, ok := errors.AsType[*module.ExitError](err); ok {
		result.Code = exit.Code
		if p.Shown != "" {
			exit.Command = p.Show(h)
		}
	} else if err != nil {
		return result, err
	}
	if p.Judged {
		return result, nil
	}
	if !slices.Contains(p.OKCodes, result.Code) {
		return result, p.badCode(h, err)
	}
	return result, p.expected(h, result)
}

// given reports whether there is a program to run.
func (p Process) given() bool { return len(p.Argv) > 0 || p.PowerShell != "" }

// succeeds reports whether the program ends with 0.
func (p Process) succeeds(ctx context.Context, h module.Host) (bool, error) {
	_, err := h.Run(ctx, p.command())
	if module.Exited(err) {
		return false, nil
	}
	return err == nil, err
}

func (p Process) command() module.Command {
	c := module.Command{Long: true, Argv: p.Argv, PowerShell: p.PowerShell, Name: p.Shown, Env: p.Env, Dir: p.Dir, AsLogin: true}
	if p.Stdin != "" {
		c.Stdin = strings.NewReader(p.Stdin)
	}
	return c
}

// badCode returns the error for a code that is not in OKCodes, which can be 0.
func (p Process) badCode(h module.Host, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("command ended with code 0, want one of %v: %s", p.OKCodes, p.Show(h))
}

func (p Process) expected(h module.Host, r Result) error {
	if p.Expect == "" || cmdtext.Matches(p.Expect, r.Stdout) {
		return nil
	}
	return fmt.Errorf("output of %s does not contain %q; it ends with:\n%s",
		p.Show(h), p.Expect, h.Redact(module.Tail(r.Stdout, 10)))
}

// feed runs an interpreter that reads its script from file descriptor 3, so that
// the text is neither in the list of processes nor in a file. cat makes a second
// pipe because only the user who made a pipe may open it by its name.
const feed = `cat | { exec "$@" 3<&0 </dev/null; }`

// scriptPath is the interpreter's name of the script.
const scriptPath = "/dev/fd/3"

// Script is a process in which an interpreter runs a text with arguments. A text from Windows gets the line ends of POSIX. Its
// standard input is empty.
func Script(interpreter []string, text string, args ...string) Process {
	argv := append([]string{"sh", "-c", feed, "sh"}, interpreter...)
	return Process{Argv: append(append(argv, scriptPath), args...), Stdin: lineend.Plain(text)}
}

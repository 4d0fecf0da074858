package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/shell"
	"kinit/engine/transport"
)

// The environment of every command: the folders of system programs, which the path of an ordinary user lacks, and a
// fixed locale and umask unless the command keeps those of a login.
const (
	folders = `PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/sbin"`
	login   = "export " + folders
	plain   = "umask 022; export LC_ALL=C " + folders
)

// Run runs a command and waits. The command's own environment and folder have priority over the
// task's.
func (b *bound) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if len(b.env) > 0 {
		env := maps.Clone(b.env)
		maps.Copy(env, c.Env)
		c.Env = env
	}
	c.Dir = cmp.Or(c.Dir, b.dir)
	line, env, err := b.line(c)
	if err != nil {
		return module.Output{}, err
	}
	stdout, stderr := b.capture(c, "stdout"), b.capture(c, "stderr")
	lines := &lines{call: c.Line}
	begin := time.Now()
	code, err := exec(ctx, b.conn, transport.Process{
		Line: line, Env: env, Stdin: c.Stdin, Fence: b.fence, Urgent: c.Urgent,
		Stdout: lines.tee(stdout), Stderr: lines.tee(stderr),
	})
	lines.end()
	out := module.Output{Stdout: stdout.end(b.Redact), Stderr: stderr.end(b.Redact), Duration: time.Since(begin)}
	if err != nil {
		return out, fmt.Errorf("run %s: %w", b.show(c), err)
	}
	if code != 0 {
		return out, &module.ExitError{
			Command: b.show(c), Code: code,
			Stdout: b.readable(out.Stdout), Stderr: b.readable(out.Stderr),
		}
	}
	return out, nil
}

// capture returns a buffer for an output of a command, with its limits.
func (b *bound) capture(c module.Command, stream string) *capture {
	if c.Long || c.Line != nil {
		return &capture{spill: b.newSpill(stream)}
	}
	return &capture{whole: true}
}

// newSpill returns nil if no folder is set.
func (b *bound) newSpill(stream string) *spill {
	if b.settings.Outputs == "" {
		return nil
	}
	return &spill{folder: b.settings.Outputs, name: b.escape(b.name) + "-*." + stream, redact: b.Redact}
}

// exec runs a command, and ends it if a writer fails.
func exec(ctx context.Context, conn transport.Conn, p transport.Process) (int, error) {
	inner, end := context.WithCancelCause(ctx)
	defer end(nil)
	p.Stdout, p.Stderr = refusing{p.Stdout, end}, refusing{p.Stderr, end}
	code, err := conn.Exec(inner, p)
	if cause := context.Cause(inner); err != nil && ctx.Err() == nil && errors.Is(cause, errLong) {
		return code, cause
	}
	return code, err
}

// refusing calls a function when its writer fails.
type refusing struct {
	to   io.Writer
	fail context.CancelCauseFunc
}

func (r refusing) Write(b []byte) (int, error) {
	n, err := r.to.Write(b)
	if err != nil {
		r.fail(err)
	}
	return n, err
}

// readable returns an output for messages: secrets masked, line ends as in POSIX.
func (b *bound) readable(output string) string {
	if b.OS() == module.Windows {
		output = strings.ReplaceAll(output, "\r\n", "\n")
	}
	return b.Redact(output)
}

// longestShown is the most, in bytes, that messages show of a command.
const longestShown = 1000

// line makes the line for the machine's shell, and its environment.
func (b *bound) line(c module.Command) (line string, env map[string]string, err error) {
	if b.OS() == module.Windows {
		line, err = windowsLine(c)
		return line, nil, err
	}
	return commandLine(c)
}

// show formats a command for messages, in one line: what comes after it says why the command failed.
// It masks secrets before quoting the arguments, because quoting could split one, and again after.
func (b *bound) show(c module.Command) string {
	if c.Name != "" && b.OS() != module.Windows {
		return b.Redact(c.Name)
	}
	masked := lists.Map(c.Argv, b.Redact)
	text := b.Redact(shell.POSIX(masked...))
	if b.OS() == module.Windows {
		text = b.Redact(strings.TrimSpace(shell.Windows(masked...) + cmp.Or(c.Name, strings.TrimSpace(c.PowerShell))))
	}
	line, _, more := strings.Cut(text, "\n")
	if len(line) > longestShown {
		line, more = strings.ToValidUTF8(line[:longestShown], ""), true
	}
	if more {
		line += " …"
	}
	return line
}

// commandLine makes the line for the machine's shell, and its environment, which may be
// secret. The shell replaces itself by the program, so that signals reach the program and
// its exit code is returned.
func commandLine(c module.Command) (line string, env map[string]string, err error) {
	if c.PowerShell != "" {
		return "", nil, errors.New("the host has no PowerShell: it is for Windows hosts")
	}
	if len(c.Argv) == 0 || c.Argv[0] == "" {
		return "", nil, errors.New("a command needs a program")
	}
	if strings.HasPrefix(c.Argv[0], "-") {
		return "", nil, fmt.Errorf("%q is no program", c.Argv[0])
	}
	parts := []string{plain}
	if c.AsLogin {
		parts = []string{login}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Env)) {
		value := c.Env[name]
		switch {
		case !isVariable(name):
			return "", nil, fmt.Errorf("%q is no name of an environment variable", name)
		case strings.ContainsRune(value, 0):
			return "", nil, fmt.Errorf("the environment variable %s has a zero byte in it", name)
		case ofShell(name):
			parts = append(parts, "export "+name+"="+shell.POSIX(value))
			continue
		case env == nil:
			env = map[string]string{}
		}
		env[name] = value
	}
	if c.Dir != "" {
		if !path.IsAbs(c.Dir) {
			return "", nil, fmt.Errorf("the working directory %q must be absolute", c.Dir)
		}
		parts = append(parts, "cd "+shell.POSIX(c.Dir)+" || exit 126")
	}
	return strings.Join(append(parts, "exec "+shell.POSIX(c.Argv...)), "; "), env, nil
}

// ofShell reports whether the line itself sets a variable: one that the line sets too, or
// one that would change how its shell starts. None of them is a secret.
func ofShell(name string) bool {
	return slices.Contains([]string{"BASH_ENV", "ENV", "IFS", "LC_ALL", "PATH"}, name) || strings.HasPrefix(name, "LD_")
}

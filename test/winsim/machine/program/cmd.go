package program

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/winerr"
)

// notRecognized is the exit code of cmd.exe for a program that is not there (9009 is
// what %ERRORLEVEL% says, 1 what the process returns).
const notRecognized = 1

// cmd is cmd.exe /c with one command: a built-in one, or a program.
func cmd(ctx context.Context, p *machine.Process) uint32 {
	line, ok := commandOf(p)
	if !ok {
		return unsupported(p)
	}
	line = p.Env.Expand(strings.TrimSpace(line))
	if quoted, ok := strings.CutPrefix(line, `"`); ok && strings.HasSuffix(quoted, `"`) && strings.Count(line, `"`) == 2 && !strings.Contains(quoted, `\`) {
		line = quoted[:len(quoted)-1]
	}
	if strings.ContainsAny(unquoted(line), "&|<>^") {
		return unsupported(p)
	}
	word, rest, _ := strings.Cut(line, " ")
	switch strings.ToLower(word) {
	case "":
		return 0
	case "echo":
		say(p, "%s", rest)
		return 0
	case "rem":
		return 0
	case "ver":
		r := p.Machine.Release()
		say(p, "\r\nMicrosoft Windows [Version 10.0.%d.%d]", r.Build, r.Revision)
		return 0
	case "cd", "chdir":
		if rest == "" {
			say(p, "%s", p.Dir)
			return 0
		}
		return unsupported(p)
	case "set":
		return set(p, rest)
	case "exit":
		code, err := strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(rest, "/b")), 10, 64)
		if err != nil {
			return 0
		}
		return uint32(code)
	case "type":
		return show(p, strings.Trim(rest, `"`))
	}
	return start(ctx, p, line)
}

// commandOf is what stands behind /c on the command line, as it was written.
func commandOf(p *machine.Process) (string, bool) {
	lower := strings.ToLower(p.Line)
	i := strings.Index(lower, "/c")
	if i < 0 || len(p.Args) == 0 {
		return "", false
	}
	for _, arg := range p.Args {
		switch strings.ToLower(arg) {
		case "/d", "/q", "/s", "/c":
		default:
			return p.Line[i+2:], true
		}
	}
	return "", true
}

// unquoted is a line without what is in quotes.
func unquoted(line string) string {
	var b strings.Builder
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 0 {
			b.WriteString(part)
		}
	}
	return b.String()
}

// set shows the variables that begin with a text.
func set(p *machine.Process, prefix string) uint32 {
	if strings.Contains(prefix, "=") {
		return 0 // it would end with this process
	}
	found := false
	for _, name := range p.Env.Names() {
		if strings.HasPrefix(strings.ToUpper(name), strings.ToUpper(prefix)) {
			say(p, "%s=%s", name, p.Env.Get(name))
			found = true
		}
	}
	if !found {
		fmt.Fprintf(p.Stderr, "%s\r\n", fmt.Sprintf(either(p, "Environment variable %s not defined", "Die Umgebungsvariable \"%s\" ist nicht definiert."), prefix))
		return 1
	}
	return 0
}

func show(p *machine.Process, name string) uint32 {
	text, err := p.Machine.Files.ReadFile(ntfs.Join(p.Dir, name))
	if err != nil {
		fmt.Fprintf(p.Stderr, "%s\r\n", p.Machine.Text(winerr.FileNotFound))
		return 1
	}
	_, _ = p.Stdout.Write(text) // the reader may be gone
	return 0
}

// start runs a program with the rest of the line as its arguments.
func start(ctx context.Context, p *machine.Process, line string) uint32 {
	program, rest, quoted := strings.Cut(strings.TrimPrefix(line, `"`), `"`)
	if !strings.HasPrefix(line, `"`) {
		program, rest, quoted = strings.Cut(line, " ")
	}
	if !quoted {
		rest = ""
	}
	child, err := p.Launch(ctx, machine.Start{Program: program, Args: machine.SplitArgs(rest), Line: line})
	if err != nil {
		text := either(p, "'%s' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n",
			"Der Befehl \"%s\" ist entweder falsch geschrieben oder\r\nkonnte nicht gefunden werden.\r\n")
		fmt.Fprintf(p.Stderr, text, program)
		return notRecognized
	}
	code := child.Wait()
	if err := child.Failure(); err != nil {
		p.Fail(err)
	}
	return code
}

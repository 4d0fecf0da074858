package become

import (
	"crypto/rand"
	"slices"

	"kinit/engine/secret"
	"kinit/engine/shell"
)

// Entry starts one program as a user, and shows when the program has begun: then the mark is on both outputs, or at
// least on standard error.
type Entry struct {
	User
	Password secret.Value // for sudo, doas or su, which ask for nothing when it is empty
	Terminal bool         // it runs on a terminal of its own, as requiretty in a sudoers file demands
	Mark     string       // random
	Prompt   string       // random; sudo asks with it, so that its language does not matter
}

// NewEntry returns an entry with a random mark and prompt. doas always asks on a terminal.
func NewEntry(u User, password secret.Value, terminal bool) *Entry {
	return &Entry{User: u, Password: password, Terminal: terminal || password != "" && u.By() == Doas, Mark: rand.Text(), Prompt: rand.Text()}
}

// Line is the line for a POSIX shell that replaces the shell by a command of the user.
func (e *Entry) Line(argv ...string) string {
	begun := "printf " + e.Mark + "; printf " + e.Mark + " >&2; "
	if e.feeds() {
		begun = "printf " + e.Mark + "; printf " + e.Mark + " >/dev/tty; " // after all that doas says there
	}
	program := []string{"/bin/sh", "-c", begun + "exec " + shell.POSIX(argv...)}
	switch e.By() {
	case Doas:
		argv = append(e.options("doas", "-n"), "-u", e.Name)
		argv = append(argv, program...)
	case Su:
		argv = []string{"su", "-s", program[0], program[1], program[2], e.Name}
	default:
		argv = append(e.options("sudo", "-n", "-S", "-p", e.Prompt), "-H", "-u", e.Name, "--")
		argv = append(argv, program...)
	}
	if !e.Terminal {
		return "exec " + shell.POSIX(argv...)
	}
	return "exec " + shell.POSIX("/bin/sh", "-c", e.onTerminal(shell.POSIX(argv...)))
}

// options are the beginning of a command: without a password, the option to ask for none, else the others.
func (e *Entry) options(program, none string, asking ...string) []string {
	if e.Password == "" {
		return []string{program, none}
	}
	return append([]string{program}, slices.Clone(asking)...)
}

// feeds reports whether the password is typed into the terminal, for a program that reads it there alone.
func (e *Entry) feeds() bool { return e.Password != "" && e.By() == Doas }

// onTerminal is a script that runs a line on a terminal of its own, by the program script of util-linux. The line's
// streams are not the terminal. What feeds types the first line of the input.
func (e *Entry) onTerminal(line string) string {
	const streams = " <&3 >&4 2>&5 3<&- 4>&- 5>&-"
	begin := `command -v script >/dev/null || { echo "script (util-linux) is missing, which gives sudo or doas a terminal" >&2; exit 127; }` +
		"\nexec 3<&0 4>&1 5>&2\nexport SHELL=/bin/sh\n"
	if e.feeds() { // what a program does not read must not come back as its output
		run := shell.POSIX("script", "-qefc", "stty -echo </dev/tty; exec "+line+streams, "/dev/null")
		return begin + `{ IFS= read -r p <&3; printf '%s\n' "$p"; } | ` + run + " >&5 2>&5"
	}
	return begin + "exec " + shell.POSIX("script", "-qefc", "exec "+line+streams, "/dev/null") + " </dev/null >/dev/null 2>&1"
}

package framing

import (
	_ "embed"
	"fmt"
	"strings"

	"kinit/engine/shell"
)

// Words that follow a nonce on standard output.
const (
	Started = 'S' // followed by the session's number on the rest of the line
	Busy    = 'B' // nothing was run, and the worker ends
	Fenced  = 'F' // nothing was run, because the fence is missing, and the worker ends
)

// KillSession is a script that sends a signal, its first argument, to every process of a
// session, its second argument.
//
//go:embed kill.sh
var KillSession string

//go:embed worker.sh
var worker string

// Mark returns the beginning of a script whose processes can be found by the run's name.
func Mark(run string) string {
	if run == "" {
		return ""
	}
	return "export KINIT_RUN=" + shell.POSIX(run) + "\n"
}

// Bootstrap returns the script that turns a shell into a worker, whose runner is the shell
// again. It answers with the mark on standard output. The processes of the worker have the
// variable KINIT_RUN with the name of the run, unless that is empty.
func Bootstrap(mark, sh, run string) string {
	marked := Mark(run)
	if marked != "" {
		marked += "export KINIT_WORKER=1\n"
	}
	return marked + "set -- " + shell.POSIX(mark, sh) + "\nk() {\n" + KillSession + "}\n" + worker
}

// End is an order in place of a signal: it asks a session again to end, and kills the rest
// of it after two seconds, in which it may clean up.
const End = "END"

// Kill returns the order to send a signal, or End, to every process of a session.
func Kill(mark, signal string, session int) string {
	if signal == End {
		return fmt.Sprintf("%se %d\n", mark, session)
	}
	return fmt.Sprintf("%sk %s %d\n", mark, signal, session)
}

// Stream returns the order to pass all later input to the running command.
func Stream(mark string) string { return mark + "s\n" }

// Ping returns a script that prints the nonce after everything before it is done.
func Ping(nonce string) string { return "printf " + nonce + "\n" }

// Input is the source of a command's standard input.
type Input int

// The inputs of a command.
const (
	Nothing Input = iota
	Data          // printed by the runner
	Session       // streamed
)

// Command is one command for a worker.
type Command struct {
	Nonce string // random, 26 letters or so
	Shell string // the shell that runs the line
	Line  string
	Env   map[string]string // of the line's shell; the runner sets it, so that it is on no command line
	Fence string            // the link that the line needs to run; empty for none
	Run   string            // the run's name, as for Bootstrap
	Last  int               // the session of the previous command, or 0
	Input Input
	Data  []byte // of Data
}

// numbered prints the number of the shell that runs it, p, or ends that shell after 0. The
// shell of an emulated guest with too much to do once read nothing.
const numbered = "p=; for r in 1 2 3 4 5; do read -r p r </proc/self/stat && break; done; echo ${p:=0}; [ $p != 0 ] || exit; "

// Script returns the text that makes the worker run the command. An incomplete text has no
// effect.
func (c Command) Script() string {
	var b strings.Builder
	b.WriteString("{\n")
	if c.Last != 0 {
		fmt.Fprintf(&b, "kill -0 -%d && { printf %s%c; exit; }\n", c.Last, c.Nonce, Busy)
	}
	if c.Fence != "" {
		fmt.Fprintf(&b, "[ -L %s ] || { printf %s%c; exit; }\n", shell.POSIX(c.Fence), c.Nonce, Fenced)
	}
	fmt.Fprintf(&b, "printf %s%c; printf %s >&4\n", c.Nonce, Started, c.Nonce)
	redirect := ""
	switch c.Input {
	case Nothing:
		redirect = "</dev/null "
	case Data:
		fmt.Fprintf(&b, "printf '%s' | ", printfFormat(c.Data))
	}
	command := ""
	if c.Run != "" {
		command = "export KINIT_COMMAND=$p; "
	}
	fmt.Fprintf(&b, "(%s%s%sexec setsid %s %s2>&4 4>&-)\n",
		numbered, command, shell.Exports(c.Env), shell.POSIX(c.Shell, "-c", c.Line), redirect)
	fmt.Fprintf(&b, "printf '%s%%s\\n' $?; printf %s >&4\n}\n", c.Nonce, c.Nonce)
	return b.String()
}

// printfFormat writes bytes as a format for printf inside single quotes: every
// byte that is not a plain printing character becomes an octal escape, and so does a dash
// at the beginning, which would begin an option.
func printfFormat(data []byte) string {
	var b strings.Builder
	for i, c := range data {
		switch {
		case i == 0 && c == '-':
			b.WriteString(`\055`)
		case c == '%':
			b.WriteString("%%")
		case c == '\\' || c == '\'' || c < ' ' || c > '~':
			fmt.Fprintf(&b, `\%03o`, c)
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

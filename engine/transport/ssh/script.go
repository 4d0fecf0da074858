package ssh

import (
	"fmt"
	"strings"

	"kinit/engine/shell"
)

// How a worker is spoken to
//
// A worker is a session that runs a plain /bin/sh, which reads this file's
// bootstrap and becomes two processes joined by a pipe:
//
//	session's input ──► reader ──pipe──► runner ──► session's outputs
//
// The runner is a plain sh that reads commands. The reader passes lines on, and
// acts on those that begin with the worker's mark, at any time, even while a
// command runs: it kills a session, or turns into cat when a command wants the
// session's input as its own. That is why a kill needs no further channel.
//
// A command is a compound that the runner parses whole before it runs any of it.
// It writes a fresh nonce to both outputs, then the number of the process group,
// runs the line in a session of its own, and writes the nonce and the exit code.
// Outputs are exact because nothing but the command writes between the nonces;
// the nonces are random and in no argument list and no environment, so that no
// output can contain them. The shell's own words about killed children go
// nowhere.
//
// The line's input is nothing, or a few bytes printed by the runner, or the
// session's own. With the last the worker ends with the command, because its
// input cannot be read further.
//
// Before a command the runner looks whether processes of the command before are
// left. They still hold the worker's outputs and could write into those of this
// command, so the worker says busy and ends; another one takes over.

// mark separates what the reader does: the mark itself, then a letter.
const (
	orderKill   = 'k' // then signal and session
	orderStream = 's'
)

// Words that follow a nonce.
const (
	wordStart = 'S'
	wordBusy  = 'B'
)

// bootstrap is the script that turns a shell into a worker. It answers with the
// mark on standard output.
func bootstrap(mark string) string {
	return strings.NewReplacer("MARK", mark).Replace(`exec 3>&1 4>&2 2>/dev/null
cd || cd /
command -v setsid >/dev/null || { echo "setsid (util-linux or busybox) is missing" >&4; exit 1; }
k() {
kill -$1 -$2
for f in /proc/[0-9]*/stat; do
read -r s <$f || continue
set -- $1 $2 ${s##*) }
[ "$6" = "$2" ] || continue
p=${f#/proc/}
kill -$1 ${p%/stat}
done
}
{ printf MARK >&3; exec 3>&- 4>&-
while IFS= read -r l; do
case $l in
MARKk*) k ${l#MARKk};;
MARKs) exec cat;;
*) printf '%s\n' "$l";;
esac
done; } | { /bin/sh >&3 3>&-; kill -KILL $$; }
`)
}

// input is where a command's standard input comes from.
type input int

const (
	fromNothing input = iota
	fromScript        // printed by the runner
	fromSession       // streamed
)

// command is the script for one command. last is the process group of the
// command before, or 0.
func command(nonce, line string, last int, from input, data []byte) string {
	var b strings.Builder
	b.WriteString("{\n")
	if last != 0 {
		fmt.Fprintf(&b, "kill -0 -%d && { printf %s%c; exit; }\n", last, nonce, wordBusy)
	}
	fmt.Fprintf(&b, "printf %s%c; printf %s >&4\n", nonce, wordStart, nonce)
	redirect := "</dev/null "
	if from == fromScript {
		fmt.Fprintf(&b, "printf '%s' | ", printfFormat(data))
	}
	if from != fromNothing {
		redirect = ""
	}
	fmt.Fprintf(&b, "(read -r p r </proc/self/stat; echo $p; exec setsid %s %s2>&4 4>&-)\n",
		shell.POSIX("/bin/sh", "-c", line), redirect)
	fmt.Fprintf(&b, "printf '%s%%s\\n' $?; printf %s >&4\n}\n", nonce, nonce)
	return b.String()
}

// ping is a script that prints the nonce, once all before it is done.
func ping(nonce string) string { return "printf " + nonce + "\n" }

// printfFormat writes bytes as a format for printf inside single quotes: every
// byte that is not a plain printing character becomes an octal escape.
func printfFormat(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		switch {
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

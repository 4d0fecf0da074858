// Package powershell is how a script reaches PowerShell on a Windows machine, over
// whatever starts a process there and gives it its standard input.
//
// The process is always the same: CommandLine, with a constant script of our own,
// the bootstrap (bootstrap.ps1). So a list of processes shows nothing of a
// command, and no limit of a command line holds for it. The command's script and
// its input are the standard input of that process:
//
//	8 digits          the length n of what follows
//	n bytes           the script, UTF-8 in base64
//	the rest          the input of the command
//
// The bootstrap reads the first two and then prints one line, "#kinit PID", which
// Output takes away again: from then on the script runs. Nothing has run as long as
// one byte of the header is missing, which is why a process may be started anew for
// as long as its last byte was not sent. The script finds the rest of the input as
// the stream $KinitInput, and programs that it starts inherit it.
//
// The exit code is that of "exit" in the script, 1 when it throws, and else that of
// the last program it ran, or 0. A script that throws prints the place and, in the
// last line, the message, as plain text. What PowerShell itself writes to standard
// error may be CLIXML, which Errors turns into text.
//
// The package knows no transport.
package powershell

import (
	_ "embed"
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf16"
)

// Incomplete is the exit code of a bootstrap whose input ended before the header was
// complete: nothing of the script has run.
const Incomplete = 250

//go:embed bootstrap.ps1
var bootstrap string

// CommandLine is the line that starts the bootstrap. It has less than the 8191
// characters that cmd.exe takes, which starts commands over WinRM and, by default,
// over SSH.
func CommandLine() string {
	return "powershell.exe -NoLogo -NoProfile -NonInteractive -ExecutionPolicy Bypass -EncodedCommand " + encode(compact(bootstrap))
}

// encode is a script as -EncodedCommand takes it: base64 of UTF-16LE.
func encode(script string) string {
	var b []byte
	for _, unit := range utf16.Encode([]rune(script)) {
		b = binary.LittleEndian.AppendUint16(b, unit)
	}
	return base64.StdEncoding.EncodeToString(b)
}

// compact leaves comments, empty lines and indentation out. It does not know
// strings of several lines.
func compact(script string) string {
	var lines []string
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

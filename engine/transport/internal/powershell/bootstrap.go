// Package powershell takes a script to PowerShell on a Windows machine, over any transport
// that can start a process there and write its standard input.
//
// The process is always the same: CommandLine, with a constant script of our own,
// the bootstrap (bootstrap.ps1). So a list of processes shows nothing of a
// command, and a command can be longer than a command line. The command's script and
// its input are the standard input of that process:
//
//	8 digits          the length n of what follows
//	n bytes           the script, UTF-8 in base64
//	the rest          the input of the command
//
// The first two parts are the header. The bootstrap reads it and then prints one line,
// "#kinit PID", which Output removes: from then on the script runs. Nothing runs before the
// header has arrived completely, so a caller that has not sent the header's last byte may
// start another process instead. The script reads the rest of the input from the stream
// $KinitInput, and programs that it starts inherit it.
//
// The exit code is that of "exit" in the script, 1 after an exception, and otherwise that
// of the last program it ran, or 0. After an exception the script prints the place and, in
// the last line, the message, as plain text. PowerShell itself may write CLIXML to standard
// error, which Errors turns into text.
//
// The package does not depend on a transport.
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
	b, _ := binary.Append(nil, binary.LittleEndian, utf16.Encode([]rune(script))) // numbers always have a size
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

package ssh

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/transport/internal/powershell"
)

// echoed is a line for which cmd.exe prints a path, and PowerShell the line's own text.
const echoed = "echo %ComSpec%"

// scriptLine returns the line that starts the bootstrap. It finds out which shell a Windows
// machine's server uses for lines: cmd.exe, or PowerShell if DefaultShell in
// HKLM\SOFTWARE\OpenSSH is set so. cmd.exe ends with the code of the program; PowerShell ends
// with 1 for any code but 0 unless the line says otherwise.
func (l *link) scriptLine(ctx context.Context) (string, error) {
	said, err := l.ask(ctx, echoed)
	if err != nil {
		return "", err
	}
	if strings.TrimSpace(said) == "" {
		return "", errors.New("the machine's shell does not answer: is its operating system Windows?")
	}
	line := powershell.CommandLine()
	if strings.Contains(said, "%ComSpec%") {
		line += "; exit $LASTEXITCODE"
	}
	return line, nil
}

package ssh

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/transport/internal/powershell"
)

// loginShell finds out, once for each connection, which shell a Windows machine's server
// uses for lines: cmd.exe, or PowerShell if DefaultShell in HKLM\SOFTWARE\OpenSSH is set
// so.
type loginShell struct {
	asking chan struct{} // holds a token while the line is checked or made
	known  string
}

func newLoginShell() loginShell {
	return loginShell{asking: make(chan struct{}, 1)}
}

// echoed is a line for which cmd.exe prints a path, and PowerShell the line's own text.
const echoed = "echo %ComSpec%"

// line returns the line that starts the bootstrap. cmd.exe ends with the code of the
// program; PowerShell ends with 1 for any code but 0 unless the line says otherwise.
func (s *loginShell) line(ctx context.Context, l *link) (string, error) {
	select {
	case s.asking <- struct{}{}:
		defer func() { <-s.asking }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if s.known != "" {
		return s.known, nil
	}
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
	s.known = line
	return line, nil
}

package ssh

import (
	"context"
	"errors"
	"strings"

	"kinit/engine/transport/internal/powershell"
)

// loginShell finds out once a connection which shell a Windows machine's server gives
// lines to: cmd.exe, or PowerShell where DefaultShell in HKLM\SOFTWARE\OpenSSH says so.
type loginShell struct {
	asking chan struct{} // holds a token while the line is looked at or made
	known  string
}

func newLoginShell() loginShell {
	return loginShell{asking: make(chan struct{}, 1)}
}

// echoed is a line that cmd.exe prints a path for, and PowerShell what it is.
const echoed = "echo %ComSpec%"

// line is the one that starts the bootstrap. cmd.exe ends with the code of the program
// it ran; PowerShell ends with 1 when that is not 0, and has to be told.
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

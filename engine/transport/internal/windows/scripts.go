package windows

import (
	"bytes"
	"context"
	"embed"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"kinit/engine/module"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/powershell"
)

//go:embed scripts/*.ps1
var scripts embed.FS

// Exec runs PowerShell on the machine, as transport.Conn does.
type Exec func(ctx context.Context, p transport.Process) (int, error)

func script(name string, arguments any) (string, error) {
	common, err := scripts.ReadFile("scripts/common.ps1")
	if err != nil {
		return "", err
	}
	text, err := scripts.ReadFile("scripts/" + name + ".ps1")
	if err != nil {
		return "", err
	}
	return powershell.WithArguments(string(common)+string(text), arguments)
}

// call runs a script and reads its answer into result. The error of a file names the
// operation and the path.
func (x Exec) call(ctx context.Context, op, path string, arguments, result any) error {
	line, err := script(op, arguments)
	if err != nil {
		return err
	}
	var stdout, stderr bytes.Buffer
	code, err := x(ctx, transport.Process{Line: line, Stdout: &stdout, Stderr: &stderr})
	if err != nil && !errors.Is(err, transport.ErrIncomplete) {
		return pathError(op, path, err)
	}
	text, _, _ := strings.Cut(stdout.String(), "\n")
	return settle(op, path, text, result, func() error {
		return pathError(op, path, unanswered(code, stderr.String(), err))
	})
}

// settle reads the line of an answer, which is complete, or its absence is an error.
func settle(op, path, line string, result any, absent func() error) error {
	answer, ok := decode(line)
	if !ok {
		return absent()
	}
	var failed failure
	if err := json.Unmarshal(answer, &failed); err != nil {
		return pathError(op, path, fmt.Errorf("the script answered %q: %w", answer, err))
	}
	if failed.Failure != "" {
		return pathError(op, path, failed.reason())
	}
	if result == nil {
		return nil
	}
	if err := json.Unmarshal(answer, result); err != nil {
		return pathError(op, path, fmt.Errorf("the script answered %q: %w", answer, err))
	}
	return nil
}

// decode is what a script answers: the length of the text behind it, and JSON in
// base64.
func decode(line string) ([]byte, bool) {
	length, text, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	if n, err := strconv.Atoi(length); err != nil || n != len(text) {
		return nil, false
	}
	answer, err := base64.StdEncoding.DecodeString(text)
	return answer, err == nil
}

// unanswered says why a script has no answer.
func unanswered(code int, stderr string, err error) error {
	if err != nil {
		return err
	}
	return fmt.Errorf("the script ended with code %d: %s", code, module.Tail(strings.TrimSpace(stderr), 1))
}

// failure is what a script could not do: the name of .NET's exception, and its message
// in the machine's language.
type failure struct {
	Failure string `json:"failure"`
	Message string `json:"message"`
}

func (f failure) reason() error {
	message := strings.TrimRight(f.Message, " .\r\n")
	switch f.Failure {
	case "FileNotFoundException", "DirectoryNotFoundException", "ItemNotFoundException", "DriveNotFoundException":
		return fmt.Errorf("%w: %s", fs.ErrNotExist, message)
	case "UnauthorizedAccessException", "SecurityException", "PrivilegeNotHeldException":
		return fmt.Errorf("%w: %s", fs.ErrPermission, message)
	case "Exists":
		return fmt.Errorf("%w: %s", fs.ErrExist, message)
	}
	return errors.New(message)
}

// pathError names the operation and the path, as the os package does.
func pathError(op, path string, err error) error {
	return &fs.PathError{Op: op, Path: path, Err: err}
}

// Fenced returns the same files, of which each change looks for a file first, in the script
// that makes it.
func (f *Files) Fenced(file string) module.Files {
	return &Files{exec: f.exec, change: f.exec.Fenced(file)}
}

// Fenced is Exec whose scripts run only if the file is there.
func (x Exec) Fenced(file string) Exec {
	return func(ctx context.Context, p transport.Process) (int, error) {
		p.Fence = file
		return x(ctx, p)
	}
}

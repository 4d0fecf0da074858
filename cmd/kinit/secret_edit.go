package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// defaultEditor exists on all POSIX systems.
const defaultEditor = "vi"

func secretEdit(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "edit",
		Usage:     "edit an encrypted file or value with $VISUAL or $EDITOR",
		ArgsUsage: "FILE",
		Description: `The text is decrypted into a private file, in memory if the system has a file system there,
which is removed afterwards. Configure your editor not to keep copies elsewhere. If the text
is not changed, or the editor fails, the file stays as it is. The text is encrypted for your
own keys, or those given by --to: name the keys of all who are to read it.`,
		UsageText: command.Examples("kinit secret edit vars.age", "kinit secret edit --value db_password site.hcl") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: []cli.Flag{toFlag(), valueFlag("edit the value of the secret block `NAME` of the file")},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			keys, err := readKeys(a)
			if err != nil {
				return err
			}
			to, err := recipients(a, c)
			if err != nil {
				return err
			}
			return editFile(a, keys, to, file, c.String("value"))
		},
	}
}

// editFile opens a whole file, or one value, in the editor.
func editFile(a *app.App, keys *secretfile.Keys, to []string, file, name string) error {
	before, err := decrypted(a, keys, file, name)
	if err != nil {
		return err
	}
	after, err := edited(a, file, before)
	if err != nil || after == before {
		return err
	}
	return rewriteFile(a, file, func(text []byte) ([]byte, error) {
		if name != "" {
			return withValue(a, file, text, name, secret.Value(strings.TrimSuffix(after.Reveal(), "\n")), to)
		}
		encrypted, err := secretfile.Encrypt(after, to...)
		return []byte(encrypted), err
	})
}

// edited returns a text after the user edited it.
func edited(a *app.App, file string, text secret.Value) (_ secret.Value, err error) {
	folder, err := os.MkdirTemp(memoryFolder(a), "kinit-edit-*") // only its owner may enter
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, strings.TrimSuffix(filepath.Base(file), ".age"))
	if err := os.WriteFile(path, []byte(text.Reveal()), 0o600); err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	if err := runEditor(a, path); err != nil {
		return "", err
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	return secret.Value(after), nil
}

// memoryFolder returns a folder that is not on a disk, or "" if the system has none.
func memoryFolder(a *app.App) string {
	for _, folder := range []string{a.Env("XDG_RUNTIME_DIR"), "/dev/shm"} {
		if info, err := os.Stat(folder); folder != "" && err == nil && info.IsDir() {
			return folder
		}
	}
	return ""
}

// runEditor runs the editor on a file. The editor handles the terminal's interrupts; kinit
// ignores them, so that the file is always removed.
func runEditor(a *app.App, path string) error {
	editor := cmp.Or(a.Env("VISUAL"), a.Env("EDITOR"), defaultEditor)
	signals, restore := a.Signals()
	defer restore()
	// The variable can contain arguments; the shell splits it.
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Env, cmd.Dir = a.Environ, a.Cwd
	cmd.Stdin, cmd.Stdout, cmd.Stderr = a.In, a.Out.Writer, a.Err.Writer
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case interruptedBy(err) || len(signals) > 0:
		return exit.Code(exit.Interrupted)
	}
	return fmt.Errorf("the editor %s: %w; nothing was changed", editor, err)
}

// interruptedBy reports whether an interrupt ended a program or a program that its shell
// ran.
func interruptedBy(err error) bool {
	var ended *exec.ExitError
	if !errors.As(err, &ended) {
		return false
	}
	status, ok := ended.Sys().(syscall.WaitStatus)
	return ended.ExitCode() == exit.Interrupted || ok && status.Signaled() && status.Signal() == syscall.SIGINT
}

package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/urfave/cli/v2"

	"kinit/engine"
	"kinit/engine/secret"
)

// defaultEditor exists on all POSIX systems.
const defaultEditor = "vi"

func (w *world) secretEdit() *cli.Command {
	return manual{
		path:     "secret edit",
		examples: []string{"kinit secret edit vars.age", "kinit secret edit --value db_password site.hcl"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:      "edit",
		Usage:     "change what is encrypted with $VISUAL or $EDITOR",
		ArgsUsage: "FILE",
		Description: `The text is decrypted into a private file, in memory where the system has a file system
there, and removed afterwards. An editor that keeps copies elsewhere is to be told not to.
When the text was not changed, or the editor fails, the file stays as it is. It is encrypted
for your own keys, or those given by --to: give all who are to read it.`,
		Flags: []cli.Flag{toFlag(), valueFlag("edit the value of the secret block `NAME` of the file")},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			keys, err := w.keys()
			if err != nil {
				return err
			}
			to, err := w.recipients(c)
			if err != nil {
				return err
			}
			return w.edit(keys, to, file, c.String("value"))
		},
	})
}

// edit opens a whole file, or one value, in the editor.
func (w *world) edit(keys *engine.Keys, to []string, file, name string) error {
	before, err := w.decrypted(keys, file, name)
	if err != nil {
		return err
	}
	after, err := w.edited(file, before)
	if err != nil || after == before {
		return err
	}
	return w.rewrite(file, func(text []byte) ([]byte, error) {
		if name != "" {
			return w.withValue(file, text, name, secret.Value(strings.TrimSuffix(after.Reveal(), "\n")), to)
		}
		encrypted, err := engine.Encrypt(after, to)
		return []byte(encrypted), err
	})
}

// edited returns a text after the user edited it.
func (w *world) edited(file string, text secret.Value) (_ secret.Value, err error) {
	folder, err := os.MkdirTemp(w.memory(), "kinit-edit-*") // only its owner may enter
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	path := filepath.Join(folder, strings.TrimSuffix(filepath.Base(file), ".age"))
	if err := os.WriteFile(path, []byte(text.Reveal()), 0o600); err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	if err := w.runEditor(path); err != nil {
		return "", err
	}
	after, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("edit: %w", err)
	}
	return secret.Value(after), nil
}

// memory returns a folder that is not on a disk, or "" if the system has none.
func (w *world) memory() string {
	for _, folder := range []string{w.env("XDG_RUNTIME_DIR"), "/dev/shm"} {
		if info, err := os.Stat(folder); folder != "" && err == nil && info.IsDir() {
			return folder
		}
	}
	return ""
}

// runEditor runs the editor on a file. The editor handles the terminal's interrupts; kinit
// ignores them, so that the file is always removed.
func (w *world) runEditor(path string) error {
	editor := w.env("VISUAL")
	if editor == "" {
		editor = w.env("EDITOR")
	}
	if editor == "" {
		editor = defaultEditor
	}
	signals, restore := w.signals()
	defer restore()
	// The variable can contain arguments; the shell splits it.
	cmd := exec.Command("sh", "-c", editor+` "$1"`, "sh", path)
	cmd.Env, cmd.Dir = w.environ, w.cwd
	cmd.Stdin, cmd.Stdout, cmd.Stderr = w.in, w.out.Writer, w.err.Writer
	err := cmd.Run()
	switch {
	case err == nil:
		return nil
	case interruptedBy(err) || len(signals) > 0:
		return codeError(exitInterrupted)
	}
	return fmt.Errorf("the editor %s: %w; nothing was changed", editor, err)
}

// interruptedBy reports whether an interrupt ended a program or a program that its shell
// ran.
func interruptedBy(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return exit.ExitCode() == exitInterrupted || ok && status.Signaled() && status.Signal() == syscall.SIGINT
}

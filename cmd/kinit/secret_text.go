package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/secret"
)

func (w *world) secretEncrypt() *cli.Command {
	return manual{
		path: "secret encrypt",
		examples: []string{
			"kinit secret encrypt vars.json",
			"kinit secret encrypt --value db_password site.hcl < password.txt",
			"kinit secret encrypt --to team.keys - < plain > cipher",
		},
		codes: []int{exitOK, exitFailed, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:      "encrypt",
		Usage:     "encrypt a file in its place, or a value into an HCL file",
		ArgsUsage: "FILE|-",
		Description: `What is encrypted already stays as it is. With --value, the value is read from the
standard input, on a terminal without showing it; the last line end does not count. It is
written into the secret block of that name, which is added where it is missing.`,
		Flags: []cli.Flag{toFlag(), valueFlag("encrypt a value into the secret block `NAME` of the file")},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			to, err := w.recipients(c)
			if err != nil {
				return err
			}
			if name := c.String("value"); name != "" {
				return w.encryptValue(file, name, to)
			}
			return w.rewrite(file, func(text []byte) ([]byte, error) {
				if engine.IsEncrypted(string(text)) {
					return text, nil
				}
				encrypted, err := engine.Encrypt(secret.Value(text), to)
				return []byte(encrypted), err
			})
		},
	})
}

func (w *world) secretDecrypt() *cli.Command {
	return manual{
		path:     "secret decrypt",
		examples: []string{"kinit secret decrypt vars.json", "kinit secret decrypt --value db_password site.hcl"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:        "decrypt",
		Usage:       "print what is encrypted, or decrypt a file in its place",
		ArgsUsage:   "FILE|-",
		Description: "What is printed is secret: mind where it goes.",
		Flags: []cli.Flag{
			valueFlag("print the value of the secret block `NAME` of the file"),
			&cli.BoolFlag{Name: "write", Category: headOutput, Usage: "write the file back instead of printing it"},
		},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			if c.Bool("write") && (c.String("value") != "" || file == standardInput) {
				return usageErrorf(c.Command.HelpName, "--write is for whole files; a value in the clear would stay in the HCL file")
			}
			keys, err := w.keys()
			if err != nil {
				return err
			}
			if c.Bool("write") {
				return w.rewrite(file, func(text []byte) ([]byte, error) { return plain(keys, text) })
			}
			value, err := w.decrypted(keys, file, c.String("value"))
			if err != nil {
				return err
			}
			_, err = io.WriteString(w.out, value.Reveal())
			return err
		},
	})
}

func (w *world) secretRekey() *cli.Command {
	return manual{
		path:     "secret rekey",
		examples: []string{"kinit secret rekey --to team.keys vars.age site.hcl"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitInvalid, exitInterrupted},
	}.write(&cli.Command{
		Name:      "rekey",
		Usage:     "encrypt files, or all values in HCL files, for other keys",
		ArgsUsage: "FILE...",
		Description: `Give by --to all who are to read it from now on: an encrypted text does not tell for
whom it is. Who could read it before still can read what they have kept; change the secrets
themselves when that matters.`,
		Flags: []cli.Flag{toFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return usageErrorf(c.Command.HelpName, "it takes files")
			}
			keys, err := w.keys()
			if err != nil {
				return err
			}
			to, err := w.recipients(c)
			if err != nil {
				return err
			}
			for _, file := range c.Args().Slice() {
				if err := w.rewrite(file, func(text []byte) ([]byte, error) { return w.rekeyed(keys, to, file, text) }); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// oneFile returns the argument of a command that takes one file.
func oneFile(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", usageErrorf(c.Command.HelpName, "it takes one FILE, %d were given", c.NArg())
	}
	if c.Args().First() == standardInput && c.String("value") != "" {
		return "", usageErrorf(c.Command.HelpName, "--value is of a file")
	}
	return c.Args().First(), nil
}

// rewrite changes a file in place, or copies standard input to standard output with the
// change. An unchanged file is not written.
func (w *world) rewrite(name string, change func([]byte) ([]byte, error)) error {
	before, err := w.read(name)
	if err != nil {
		return err
	}
	after, err := change(before)
	var code codeError
	switch {
	case errors.As(err, &code):
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case name == standardInput:
		_, err = w.out.Write(after)
		return err
	case bytes.Equal(before, after):
		return nil
	}
	return replaceFile(w.abs(name), after, 0o600)
}

func (w *world) read(name string) ([]byte, error) {
	if name == standardInput {
		return w.awaited(func() ([]byte, error) { return io.ReadAll(w.in) })
	}
	return os.ReadFile(w.abs(name))
}

// awaited reads input from the user. A signal ends the wait; an unfinished read ends with
// the program.
func (w *world) awaited(read func() ([]byte, error)) ([]byte, error) {
	signals, restore := w.signals()
	defer restore()
	type answer struct {
		text []byte
		err  error
	}
	given := make(chan answer, 1)
	go func() {
		text, err := read()
		given <- answer{text, err}
	}()
	select {
	case a := <-given:
		return a.text, a.err
	case <-signals:
		return nil, codeError(exitInterrupted)
	}
}

func plain(keys *engine.Keys, text []byte) ([]byte, error) {
	value, err := keys.Decrypt(string(text))
	return []byte(value.Reveal()), err
}

// decrypted returns a whole file, or one value of it, decrypted.
func (w *world) decrypted(keys *engine.Keys, name, value string) (secret.Value, error) {
	text, err := w.read(name)
	if err != nil {
		return "", err
	}
	encrypted := string(text)
	if value != "" {
		if encrypted, err = w.encryptedValue(name, text, value); err != nil {
			return "", err
		}
	}
	plain, err := keys.Decrypt(encrypted)
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return plain, nil
}

// encryptedValue returns the encrypted text of a secret block.
func (w *world) encryptedValue(file string, text []byte, name string) (string, error) {
	all, err := w.valuesIn(file, text)
	if err != nil {
		return "", err
	}
	var names []string
	for _, s := range all {
		if s.Name == name {
			return s.Encrypted, nil
		}
		names = append(names, s.Name)
	}
	return "", fmt.Errorf("%s has no secret %q with an encrypted value.%s", file, name, diag.Near(name, names))
}

// valuesIn returns the encrypted values of an HCL file, and shows its mistakes.
func (w *world) valuesIn(file string, text []byte) ([]engine.FileSecret, error) {
	all, report := engine.SecretsIn(file, text)
	if report.Invalid {
		w.err.Problems(report.Diagnostics, report.Sources)
		return nil, codeError(exitInvalid)
	}
	return all, nil
}

// encryptValue reads a value and writes it into an HCL file.
func (w *world) encryptValue(file, name string, to []string) error {
	if _, err := os.Stat(w.abs(file)); err != nil {
		return err
	}
	value, err := w.readSecret(name)
	if err != nil {
		return err
	}
	return w.rewrite(file, func(text []byte) ([]byte, error) { return w.withValue(file, text, name, value, to) })
}

// withValue returns an HCL file with a new value of a secret block.
func (w *world) withValue(file string, text []byte, name string, value secret.Value, to []string) ([]byte, error) {
	if _, err := w.valuesIn(file, text); err != nil {
		return nil, err
	}
	encrypted, err := engine.Encrypt(value, to)
	if err != nil {
		return nil, err
	}
	return engine.SetSecret(text, name, encrypted)
}

// readSecret reads a value from standard input, without echo on a terminal.
func (w *world) readSecret(name string) (secret.Value, error) {
	if in, ok := w.in.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		return w.askSecret(name, int(in.Fd()))
	}
	text, err := w.awaited(func() ([]byte, error) { return io.ReadAll(w.in) })
	return secret.Value(strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")), err
}

// askSecret reads a value from a terminal without echo, and turns echo on again afterwards,
// also after an interrupt.
func (w *world) askSecret(name string, terminal int) (secret.Value, error) {
	before, err := term.GetState(terminal)
	if err != nil {
		return "", err
	}
	_, _ = fmt.Fprintf(w.err, "Value of %s: ", name)
	text, err := w.awaited(func() ([]byte, error) { return term.ReadPassword(terminal) })
	_, _ = io.WriteString(w.err, "\n")
	return secret.Value(text), errors.Join(err, term.Restore(terminal, before))
}

// rekeyed returns a text with all its encrypted parts encrypted anew.
func (w *world) rekeyed(keys *engine.Keys, to []string, file string, text []byte) ([]byte, error) {
	again := func(encrypted string) (string, error) {
		value, err := keys.Decrypt(encrypted)
		if err != nil {
			return "", err
		}
		return engine.Encrypt(value, to)
	}
	if engine.IsEncrypted(string(text)) {
		whole, err := again(string(text))
		return []byte(whole), err
	}
	values, err := w.valuesIn(file, text)
	if err != nil {
		return nil, err
	}
	if len(values) == 0 {
		return nil, errors.New("there is nothing encrypted in it")
	}
	for _, s := range values {
		encrypted, err := again(s.Encrypted)
		if err != nil {
			return nil, fmt.Errorf("secret %q: %w", s.Name, err)
		}
		if text, err = engine.SetSecret(text, s.Name, encrypted); err != nil {
			return nil, err
		}
	}
	return text, nil
}

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

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

func secretEncrypt(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "encrypt",
		Usage:     "encrypt a file in place, or a value into an HCL file",
		ArgsUsage: "FILE|-",
		Description: `What is encrypted already stays as it is. With --value, the value is read from the standard
input; a terminal does not show it, and a line end at its end is removed. It is written into
the secret block of that name, which is added if it is missing.`,
		UsageText: command.Examples(
			"kinit secret encrypt vars.json",
			"kinit secret encrypt --value db_password site.hcl < password.txt",
			"kinit secret encrypt --to team.keys - < plain > cipher",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: []cli.Flag{toFlag(), valueFlag("encrypt a value into the secret block `NAME` of the file")},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			to, err := recipients(a, c)
			if err != nil {
				return err
			}
			if name := c.String("value"); name != "" {
				return encryptValue(a, file, name, to)
			}
			return rewriteFile(a, file, func(text []byte) ([]byte, error) {
				if secretfile.IsEncrypted(string(text)) {
					return text, nil
				}
				encrypted, err := secretfile.Encrypt(secret.Value(text), to...)
				return []byte(encrypted), err
			})
		},
	}
}

func secretDecrypt(a *app.App) *cli.Command {
	return &cli.Command{
		Name:        "decrypt",
		Usage:       "print an encrypted file or value, or decrypt a file in place",
		ArgsUsage:   "FILE|-",
		Description: "What is printed is secret: take care where it goes.",
		UsageText: command.Examples("kinit secret decrypt vars.json", "kinit secret decrypt --value db_password site.hcl") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: []cli.Flag{
			valueFlag("print the value of the secret block `NAME` of the file"),
			command.HeadOutput.Switch("write", "write the file back instead of printing it"),
		},
		Action: func(c *cli.Context) error {
			file, err := oneFile(c)
			if err != nil {
				return err
			}
			if c.Bool("write") && (c.String("value") != "" || file == standardInput) {
				return exit.Usagef(c.Command.HelpName, "--write is for whole files; a value in the clear would stay in the HCL file")
			}
			keys, err := readKeys(a)
			if err != nil {
				return err
			}
			if c.Bool("write") {
				return rewriteFile(a, file, func(text []byte) ([]byte, error) {
					value, err := keys.Decrypt(string(text))
					return []byte(value.Reveal()), err
				})
			}
			value, err := decrypted(a, keys, file, c.String("value"))
			if err != nil {
				return err
			}
			_, err = io.WriteString(a.Out, value.Reveal())
			return err
		},
	}
}

func secretRekey(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "rekey",
		Usage:     "encrypt files, or all values in HCL files, for other keys",
		ArgsUsage: "FILE...",
		Description: `Name by --to the keys of all who are to read it from now on: an encrypted text does not say
for whom it is. Former readers can still read the copies that they have kept;
if that matters, change the secrets themselves.`,
		UsageText: command.Examples("kinit secret rekey --to team.keys vars.age site.hcl") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: []cli.Flag{toFlag()},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return exit.Usagef(c.Command.HelpName, "it takes files")
			}
			keys, err := readKeys(a)
			if err != nil {
				return err
			}
			to, err := recipients(a, c)
			if err != nil {
				return err
			}
			for _, file := range c.Args().Slice() {
				if err := rewriteFile(a, file, func(text []byte) ([]byte, error) { return rekeyed(a, keys, to, file, text) }); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// oneFile returns the argument of a command that takes one file.
func oneFile(c *cli.Context) (string, error) {
	if c.NArg() != 1 {
		return "", exit.Usagef(c.Command.HelpName, "it takes one FILE, %d were given", c.NArg())
	}
	if c.Args().First() == standardInput && c.String("value") != "" {
		return "", exit.Usagef(c.Command.HelpName, "--value is of a file")
	}
	return c.Args().First(), nil
}

// rewriteFile changes a file in place, or copies standard input to standard output with the
// change. An unchanged file is not written.
func rewriteFile(a *app.App, name string, change func([]byte) ([]byte, error)) error {
	before, err := readInput(a, name)
	if err != nil {
		return err
	}
	after, err := change(before)
	var code exit.Code
	switch {
	case errors.As(err, &code):
		return err
	case err != nil:
		return fmt.Errorf("%s: %w", name, err)
	case name == standardInput:
		_, err = a.Out.Write(after)
		return err
	case bytes.Equal(before, after):
		return nil
	}
	return app.ReplaceFile(a.Abs(name), after, 0o600)
}

func readInput(a *app.App, name string) ([]byte, error) {
	if name == standardInput {
		return command.Awaited(a, func() ([]byte, error) { return io.ReadAll(a.In) })
	}
	return os.ReadFile(a.Abs(name))
}

// decrypted returns a whole file, or one value of it, decrypted.
func decrypted(a *app.App, keys *secretfile.Keys, name, value string) (secret.Value, error) {
	text, err := readInput(a, name)
	if err != nil {
		return "", err
	}
	encrypted := string(text)
	if value != "" {
		if encrypted, err = encryptedValue(a, name, text, value); err != nil {
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
func encryptedValue(a *app.App, file string, text []byte, name string) (string, error) {
	all, err := valuesIn(a, file, text)
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
func valuesIn(a *app.App, file string, text []byte) ([]engine.FileSecret, error) {
	all, report := engine.SecretsIn(file, text)
	if report.Invalid {
		a.Err.Problems(report.Diagnostics, report.Sources)
		return nil, exit.Code(exit.Invalid)
	}
	return all, nil
}

// encryptValue reads a value and writes it into an HCL file.
func encryptValue(a *app.App, file, name string, to []string) error {
	if _, err := os.Stat(a.Abs(file)); err != nil {
		return err
	}
	value, err := readSecret(a, name)
	if err != nil {
		return err
	}
	return rewriteFile(a, file, func(text []byte) ([]byte, error) { return withValue(a, file, text, name, value, to) })
}

// withValue returns an HCL file with a new value of a secret block.
func withValue(a *app.App, file string, text []byte, name string, value secret.Value, to []string) ([]byte, error) {
	if _, err := valuesIn(a, file, text); err != nil {
		return nil, err
	}
	encrypted, err := secretfile.Encrypt(value, to...)
	if err != nil {
		return nil, err
	}
	return engine.SetSecret(text, name, encrypted)
}

// readSecret reads a value from standard input, without echo on a terminal.
func readSecret(a *app.App, name string) (secret.Value, error) {
	if in, ok := a.In.(*os.File); ok && term.IsTerminal(int(in.Fd())) {
		return command.AskSecret(a, "Value of "+name+": ", int(in.Fd()))
	}
	text, err := command.Awaited(a, func() ([]byte, error) { return io.ReadAll(a.In) })
	return secret.Value(strings.TrimSuffix(strings.TrimSuffix(string(text), "\n"), "\r")), err
}

// rekeyed returns a text with all its encrypted parts encrypted again.
func rekeyed(a *app.App, keys *secretfile.Keys, to []string, file string, text []byte) ([]byte, error) {
	again := func(encrypted string) (string, error) {
		value, err := keys.Decrypt(encrypted)
		if err != nil {
			return "", err
		}
		return secretfile.Encrypt(value, to...)
	}
	if secretfile.IsEncrypted(string(text)) {
		whole, err := again(string(text))
		return []byte(whole), err
	}
	values, err := valuesIn(a, file, text)
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

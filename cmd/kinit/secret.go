package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine/atomicfile"
	"kinit/engine/secretfile"
)

func secretCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "secret",
		Usage:     "keep secrets in files, encrypted with age",
		ArgsUsage: "COMMAND",
		Description: `Whole files are encrypted, or single values of HCL files: --value NAME means the argument
'encrypted' of the secret block NAME. The private keys are in the file $KINIT_AGE_KEY_FILE;
default: ~/.config/kinit/age.key. The program age reads and writes the same format.`,
		UsageText:   command.Examples("kinit secret keygen", "kinit secret encrypt --value db_password site.hcl", "kinit secret edit vars.age"),
		Subcommands: []*cli.Command{secretKeygen(a), secretEncrypt(a), secretDecrypt(a), secretEdit(a), secretRekey(a)},
		Action:      cli.ShowSubcommandHelp,
	}
}

func secretKeygen(a *app.App) *cli.Command {
	return &cli.Command{
		Name:        "keygen",
		Usage:       "make a private key and print its public key",
		Description: "An existing file is never overwritten.",
		UsageText: command.Examples("kinit secret keygen", "kinit secret keygen --out team.key") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags: []cli.Flag{
			command.HeadOutput.Text("out", "write the private key to `FILE`; default: where the other commands read it"),
		},
		Action: func(c *cli.Context) error {
			return makeKey(a, a.Abs(cmp.Or(c.String("out"), secretfile.File(a.Environ, a.Env("HOME")))))
		},
	}
}

// makeKey writes a new key to a file that must not exist yet.
func makeKey(a *app.App, path string) error {
	text, public, err := secretfile.GenerateKey()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("there is a key already: %s. It is not overwritten, because what was encrypted for it would be lost", path)
	}
	if err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	if err := errors.Join(file.Chmod(0o600), atomicfile.Synced([]byte(text))(file), file.Close()); err != nil {
		return fmt.Errorf("make a key: %w", err)
	}
	return a.Lines("The private key is in "+path+".", "Public key: "+public)
}

func toFlag() cli.Flag {
	return command.HeadInput.List("to", "encrypt for the public key `KEY`, or those of a file; default: your own")
}

func valueFlag(usage string) cli.Flag {
	return command.HeadSelect.Text("value", usage)
}

func readKeys(a *app.App) (*secretfile.Keys, error) {
	file := a.Abs(secretfile.File(a.Environ, a.Env("HOME")))
	keys, err := secretfile.ReadKeys(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no key file %s: make one with 'kinit secret keygen', or name yours by $KINIT_AGE_KEY_FILE", file)
	}
	return keys, err
}

// recipients returns the public keys to encrypt for, which are valid: a text that the user edits or
// types is lost if it cannot be encrypted.
func recipients(a *app.App, c *cli.Context) ([]string, error) {
	given := app.Trimmed(c.StringSlice("to"))
	if len(given) == 0 {
		keys, err := readKeys(a)
		if err != nil {
			return nil, err
		}
		return keys.Public(), nil
	}
	var all []string
	for _, to := range given {
		text, err := os.ReadFile(a.Abs(to))
		switch {
		case strings.HasPrefix(to, "age1"):
			all = append(all, to)
		case err != nil:
			return nil, fmt.Errorf("%q is neither a public key, such as age1…, nor a file with some: %w", to, err)
		default:
			lines := app.Trimmed(strings.Split(string(text), "\n"))
			all = append(all, slices.DeleteFunc(lines, func(line string) bool { return strings.HasPrefix(line, "#") })...)
		}
	}
	return all, secretfile.Readers{Public: all}.Check()
}

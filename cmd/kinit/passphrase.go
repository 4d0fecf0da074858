package main

import (
	"errors"
	"os"
	"strings"

	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/engine/secret"
)

// passphraseVariable is the environment variable with the passphrase of a backup.
const passphraseVariable = "KINIT_BACKUP_PASSPHRASE"

func passphraseFlag() cli.Flag {
	return command.HeadSelect.Text("passphrase-file", "read the passphrase from `FILE`; default: $"+passphraseVariable)
}

// passphrase returns the passphrase of a backup: of a file, of the environment or, if ask is set, of the
// terminal. It is empty if none was given.
func passphrase(a *app.App, c *cli.Context, ask bool) (secret.Value, error) {
	if file := c.String("passphrase-file"); file != "" {
		text, err := os.ReadFile(a.Abs(file))
		if err != nil {
			return "", err
		}
		if value := strings.TrimRight(string(text), "\r\n"); value != "" {
			return secret.Value(value), nil
		}
		return "", errors.New(file + " has no passphrase")
	}
	if value := a.Env(passphraseVariable); value != "" || !ask {
		return secret.Value(value), nil
	}
	return askPassphrase(a, true)
}

// askPassphrase asks for a passphrase on the terminal, a new one twice. Without a terminal it is empty.
func askPassphrase(a *app.App, twice bool) (secret.Value, error) {
	in, ok := a.In.(*os.File)
	if !ok || !term.IsTerminal(int(in.Fd())) {
		return "", nil
	}
	value, err := command.AskSecret(a, "Value of the passphrase: ", int(in.Fd()))
	if err != nil || !twice {
		return value, err
	}
	again, err := command.AskSecret(a, "Value of the passphrase, again: ", int(in.Fd()))
	switch {
	case err != nil:
		return "", err
	case again != value:
		return "", errors.New("these are two different passphrases; nothing was written")
	}
	return value, nil
}

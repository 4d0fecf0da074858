package command

import (
	"context"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/secret"
)

// The environment variables of Ansible with the passwords of its vault.
const (
	vaultFileVariable = "ANSIBLE_VAULT_PASSWORD_FILE"
	vaultListVariable = "ANSIBLE_VAULT_IDENTITY_LIST"
)

// VaultFlags say which passwords decrypt what Ansible Vault has encrypted in inventories and files of --var-file.
func VaultFlags() []cli.Flag {
	return []cli.Flag{
		HeadInput.Texts("vault-id", "decrypt Ansible Vault by `LABEL@FILE` or LABEL@prompt; may be repeated"),
		HeadInput.Texts("vault-password-file", "decrypt Ansible Vault by the password in `FILE`, or by its output"),
		HeadInput.Switch("ask-vault-pass", "ask for the password of Ansible Vault", "J"),
	}
}

// VaultIdentities returns the identities that flags and Ansible's environment variables give.
func VaultIdentities(a *app.App, c *cli.Context) ([]engine.VaultIdentity, error) {
	ids := c.StringSlice("vault-id")
	if list := a.Env(vaultListVariable); list != "" {
		for id := range strings.SplitSeq(list, ",") {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	files := c.StringSlice("vault-password-file")
	if file := a.Env(vaultFileVariable); file != "" && len(files) == 0 {
		files = []string{file}
	}
	ids = append(ids, files...)
	if c.Bool("ask-vault-pass") {
		ids = append(ids, "prompt")
	}
	var all []engine.VaultIdentity
	for _, id := range ids {
		label, from, found := strings.Cut(id, "@")
		if !found {
			label, from = "default", id
		}
		if label == "" {
			label = "default"
		}
		if from == "" {
			return nil, exit.Usagef(c.Command.HelpName, "--vault-id takes LABEL@FILE or LABEL@prompt, %q was given", id)
		}
		all = append(all, engine.VaultIdentity{Label: label, Password: vaultPassword(a, c, label, from)})
	}
	return all, nil
}

// vaultPassword returns a function that reads a password once, also for later uses of the engine by the command.
func vaultPassword(a *app.App, c *cli.Context, label, from string) func(context.Context) (secret.Value, error) {
	read := sync.OnceValues(func() (secret.Value, error) {
		if from != "prompt" && from != "prompt_ask_vault_pass" {
			return PasswordFrom(c.Context, a, from)
		}
		fd, done, err := terminal(a)
		if err != nil {
			return "", exit.Usagef(c.Command.HelpName, "the password of the vault %s must be typed on a terminal, and kinit has none: give --vault-password-file", label)
		}
		defer done()
		return AskSecret(a, "Password of the vault "+label+": ", fd)
	})
	return func(context.Context) (secret.Value, error) { return read() }
}

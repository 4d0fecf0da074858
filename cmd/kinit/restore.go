package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/backups"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
	"kinit/engine/trust"
)

func restoreCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "restore",
		Category:  command.LifeOfClusters,
		Usage:     "restore a cluster from a backup",
		ArgsUsage: "SPEC FILE",
		Description: `The whole backup is decrypted and checked first. All controllers are recreated: the first one with
the etcd of the backup, all with its keys; the others join it. Nodes that are no controllers and
still live keep their pods running, and find the API again. The hypervisors may be others than those
of the backup.

These are errors before anything changes: a backup of another cluster, of another instance of it, or
of another minor version of Kubernetes. Controllers that are still there may know more than the
backup: --yes-destroy NODE, for each, recreates it anyway. After an interrupt, the same
command continues, and no other run makes an empty cluster in between.

Private keys are those of --identity, or of $KINIT_AGE_KEY_FILE or ~/.config/kinit/age.key; a backup
with a passphrase is opened by --passphrase-file, $KINIT_BACKUP_PASSPHRASE, or on a terminal.`,
		UsageText: command.Examples(
			"kinit restore k8s-podman-3-2-2 k8s.backup --hosts nyctea,tyto --identity age.key",
			"kinit restore k8s-podman-1-1-1 k8s.backup --hosts nyctea,tyto --yes-destroy controller-01",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
			command.HeadSelect.List("identity", "decrypt with the private keys in `FILE`; may be repeated"),
			passphraseFlag(), command.LostFlag(), command.ForksFlag(), command.FreshFactsFlag(), command.AdoptFlag(), command.RemoveFlag(),
			command.HeadSelect.List("yes-destroy", "recreate existing `NODES`, and lose what only they know"),
		}, command.OutputFlags(), command.DiffFlags("show every step with its diff"), command.ReportFlags()),
		Action: func(c *cli.Context) error { return restore(a, c) },
	}
}

func restore(a *app.App, c *cli.Context) error {
	if c.NArg() != 2 {
		return exit.Usagef(c.Command.HelpName, "it takes a SPEC and a FILE, %d arguments were given", c.NArg())
	}
	o, err := command.OptionsWithInventories(a, c, c.Args().First())
	if err != nil {
		return err
	}
	keys, err := keysOf(a, c, o)
	if err != nil {
		return err
	}
	file := a.Abs(c.Args().Get(1))
	b, err := keys.Read(file)
	if err != nil {
		return err
	}
	if err := keys.Restore(&o, file, b); err != nil {
		return err
	}
	ctx, s, err := command.Begin(a, c, o, command.RunMode(c))
	if err != nil {
		return err
	}
	s.Screen.Notice(fmt.Sprintf("the backup of %s is whole: made %s by kinit %s, with Kubernetes %s", b.Owner, backups.Time(b.Made), b.Program, b.About["kubernetes"]))
	return s.End(orWithoutBackups(a.Engine.Run(ctx, s.Options), c.Args().First()))
}

// keysOf returns what opens the backup.
func keysOf(a *app.App, c *cli.Context, with engine.Options) (k backups.Keys, err error) {
	files := c.StringSlice("identity")
	if len(files) == 0 {
		if k.Passphrase, err = passphrase(a, c, false); err != nil || k.Passphrase != "" {
			return k, err
		}
		files = []string{secretfile.File(a.Environ, with.Home)}
	} else if c.IsSet("passphrase-file") {
		return k, exit.Usagef(c.Command.HelpName, "give --identity or --passphrase-file, not both")
	}
	k.Name = strings.Join(files, ", ")
	for _, file := range files {
		err := trust.Key(a.Abs(file))
		var text []byte
		if err == nil {
			text, err = os.ReadFile(a.Abs(file))
		}
		if errors.Is(err, fs.ErrNotExist) && !c.IsSet("identity") {
			if k.Passphrase, err = askPassphrase(a, false); k.Passphrase != "" || err != nil {
				return k, err
			}
			return k, exit.Usagef(c.Command.HelpName, "give what opens the backup: --identity or --passphrase-file, or set %s", passphraseVariable)
		}
		if err != nil {
			return k, err
		}
		k.Identities += secret.Value(text) + "\n"
	}
	return k, nil
}

package main

import (
	"context"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/backups"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/secretfile"
)

func backupCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "backup",
		Category:  command.LifeOfClusters,
		Usage:     "back a cluster up into an encrypted file",
		ArgsUsage: "SPEC",
		Description: `The file has a snapshot of etcd, the keys of Kubernetes' authorities and service accounts, what kinit
keeps on the hypervisors for the cluster, and a manifest with the checksum of each part. It is
encrypted with age while it is written: nothing of it is on a disk of this machine unencrypted. It
has mode 0600, is written whole or not at all, and replaces no file without --overwrite.

Any private key of a recipient decrypts it: 'age-keygen' makes a pair of keys, and so does
'kinit secret keygen'. Without a recipient a passphrase encrypts it: that of --passphrase-file, or of
$KINIT_BACKUP_PASSPHRASE, or the one that is asked for on a terminal. Volumes of pods are not in it.`,
		UsageText: command.Examples(
			"kinit backup k8s-podman-3-2-2 --hosts nyctea,tyto --out k8s.backup --recipient age1…",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat(command.InputFlags(), command.PasswordFlags(), []cli.Flag{
			command.HeadSelect.Text("out", "write the backup to `FILE`"),
			command.HeadSelect.Switch("overwrite", "replace a file that exists"),
			command.HeadSelect.List("recipient", "encrypt for the owner of a public `KEY`, age1…; may be repeated"),
			command.HeadSelect.List("recipients-file", "encrypt for the public keys in `FILE`, one a line; may be repeated"),
			passphraseFlag(), command.AdoptFlag(), command.LostFlag(),
		}, command.OutputFlags(), command.ReportFlags()),
		Action: func(c *cli.Context) error { return backUp(a, c) },
	}
}

func backUp(a *app.App, c *cli.Context) error {
	o, err := command.SpecOptions(a, c)
	if err != nil {
		return err
	}
	if c.String("out") == "" {
		return exit.Usagef(c.Command.HelpName, "--out names the file of the backup")
	}
	readers, err := readersOf(a, c)
	if err != nil {
		return err
	}
	backups.Backup{File: a.Abs(c.String("out")), Replace: c.Bool("overwrite"), Readers: readers, Program: a.Version}.Set(&o)
	return command.Use(a, c, o, command.RunMode(c), func(ctx context.Context, o engine.Options) *engine.Report {
		return orWithoutBackups(a.Engine.Run(ctx, o), c.Args().First())
	})
}

// orWithoutBackups explains why a playbook does not know what a backup is.
func orWithoutBackups(r *engine.Report, spec string) *engine.Report {
	for _, d := range r.Diagnostics {
		if r.Invalid && (strings.Contains(d.Detail, `no variable "backup"`) || strings.Contains(d.Detail, `no variable "restore"`)) {
			r.Diagnostics = diag.Errorf(nil, "Not possible", "The playbook of %s has no variables for backups: those of distributions with kubeadm have.", spec)
			return r
		}
	}
	return r
}

// readersOf returns who can read the backup. Without anybody there is no backup.
func readersOf(a *app.App, c *cli.Context) (secretfile.Readers, error) {
	r := secretfile.Readers{Public: command.List(c, "recipient")}
	for _, file := range c.StringSlice("recipients-file") {
		keys, err := secretfile.ReadPublic(a.Abs(file))
		if err != nil {
			return r, err
		}
		r.Public = append(r.Public, keys...)
	}
	var err error
	if len(r.Public) == 0 || c.IsSet("passphrase-file") {
		r.Passphrase, err = passphrase(a, c, true)
	}
	if err != nil {
		return r, err
	}
	if r.Passphrase == "" && len(r.Public) == 0 {
		return r, exit.Usagef(c.Command.HelpName, "a backup is encrypted: give --recipient, --recipients-file or --passphrase-file, or set %s", passphraseVariable)
	}
	if err := r.Check(); err != nil {
		return r, exit.Usagef(c.Command.HelpName, "%v", err)
	}
	return r, nil
}

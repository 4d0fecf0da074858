package main

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/backupfile"
	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// controllerPool is the pool whose nodes a restore makes anew.
const controllerPool = "controller"

// snapshotPart is the part of a backup that is not read into memory.
const snapshotPart = "etcd.db"

func restoreCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "restore",
		Category:  command.LifeOfClusters,
		Usage:     "restore a cluster from a backup",
		ArgsUsage: "SPEC FILE",
		Description: `The whole backup is decrypted and checked first. All controllers are made anew: the first one with the etcd
of the backup, all with its keys; the others join it. Nodes that are no controllers and still live keep
their pods running, and find the API again. The hypervisors may be others than those of the backup.

What is wrong is an error before anything changes: a backup of another cluster, of another instance of
it or of another minor version of Kubernetes. Controllers that are still there may know more than the backup:
--yes-destroy NODE, for each, makes it anew all the same. After an interrupt, the same command
continues, and no other run makes an empty cluster in between.

Private keys are those of --identity, or of $KINIT_AGE_KEY_FILE or ~/.config/kinit/age.key; a backup with
a passphrase is opened by --passphrase-file, $KINIT_BACKUP_PASSPHRASE, or on a terminal.`,
		UsageText: command.Examples(
			"kinit restore k8s-podman-3-2-2 k8s.backup --hosts nyctea,tyto --identity age.key",
			"kinit restore k8s-podman-1-1-1 k8s.backup --hosts nyctea,tyto --yes-destroy controller-01",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Unreachable, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), []cli.Flag{
			&cli.StringSliceFlag{Name: "identity", Category: command.HeadSelect, Usage: "decrypt with the private keys in `FILE`; may be repeated"},
			passphraseFlag(), command.GoneFlag(), command.ForksFlag(), command.FreshFactsFlag(), command.AdoptFlag(),
			&cli.StringSliceFlag{Name: "yes-destroy", Category: command.HeadSelect, Usage: "make `NODES` anew although they are there, and lose what only they know"},
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
	secrets, err := openersOf(a, c, o)
	if err != nil {
		return err
	}
	file := a.Abs(c.Args().Get(1))
	b, err := readBackup(file, secrets)
	if err != nil {
		return err
	}
	if err := restores(&o, file, b, secrets); err != nil {
		return err
	}
	ctx, s, err := command.Begin(a, c, o, command.Mode{View: view.Run, Logged: true, Unnamed: !c.IsSet("hosts")})
	if err != nil {
		return err
	}
	s.Screen.Notice(fmt.Sprintf("the backup of %s is whole: made %s by kinit %s, with Kubernetes %s", b.Owner, b.Made.Format("2006-01-02 15:04 MST"), b.Program, b.About["kubernetes"]))
	return s.End(a.Engine.Run(ctx, s.Options))
}

// openers are what decrypts a backup: the text of a file of private keys, or a passphrase.
type openers struct {
	name       string
	identities secret.Value
	passphrase secret.Value
}

func openersOf(a *app.App, c *cli.Context, with engine.Options) (o openers, err error) {
	files := c.StringSlice("identity")
	if len(files) == 0 {
		if o.passphrase, err = passphrase(a, c, false); err != nil || o.passphrase != "" {
			return o, err
		}
		files = []string{engine.KeyFile(a.Environ, with.Home)}
	} else if c.IsSet("passphrase-file") {
		return o, exit.Usagef(c.Command.HelpName, "give --identity or --passphrase-file, not both")
	}
	o.name = strings.Join(files, ", ")
	for _, file := range files {
		text, err := os.ReadFile(a.Abs(file))
		if errors.Is(err, fs.ErrNotExist) && !c.IsSet("identity") {
			if o.passphrase, err = askPassphrase(a, false); o.passphrase != "" || err != nil {
				return o, err
			}
			return o, exit.Usagef(c.Command.HelpName, "give what opens the backup: --identity or --passphrase-file, or set %s", passphraseVariable)
		}
		if err != nil {
			return o, err
		}
		o.identities += secret.Value(text) + "\n"
	}
	return o, nil
}

// readBackup reads a whole backup.
func readBackup(file string, o openers) (*backupfile.Backup, error) {
	keys, err := secretfile.Passphrase(o.passphrase)
	if o.passphrase == "" {
		keys, err = secretfile.ParseKeys(o.name, o.identities)
	}
	if err != nil {
		return nil, err
	}
	return backupfile.Read(file, keys)
}

// restores sets the options of a run that restores a backup.
func restores(o *engine.Options, file string, b *backupfile.Backup, secrets openers) error {
	at := slices.IndexFunc(b.Parts, func(p backupfile.Part) bool { return p.Name == snapshotPart })
	if at < 0 {
		return fmt.Errorf("the backup %s has no snapshot of etcd", file)
	}
	contents := maps.Clone(b.Texts)
	delete(contents, snapshotPart) // a small one
	values := map[string]cty.Value{}
	for name, text := range contents {
		values[name] = cty.StringVal(text.Reveal())
	}
	about := map[string]cty.Value{}
	for name, text := range b.About {
		about[name] = cty.StringVal(text)
	}
	o.Restore = engine.Restore{ID: b.ID, Instance: b.Instance, Pool: controllerPool}
	o.Vars["restore"] = expression(cty.ObjectVal(map[string]cty.Value{
		"file": cty.StringVal(file), "id": cty.StringVal(b.ID), "cluster": cty.StringVal(b.Owner), "made": cty.StringVal(b.Made.Format("2006-01-02 15:04 MST")),
		"names": texts(slices.Sorted(maps.Keys(contents))), "snapshot_sha256": cty.StringVal(b.Parts[at].SHA256), "about": cty.ObjectVal(about),
	}))
	o.Vars["restore_texts"] = expression(cty.ObjectVal(values))
	o.Vars["restore_identities"], o.Vars["restore_passphrase"] = secrets.identities.Reveal(), secrets.passphrase.Reveal()
	return nil
}

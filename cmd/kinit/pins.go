package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/pins"
	"kinit/cmd/kinit/view"
	"kinit/specs"
)

// pinsPatience is how long a site can send nothing before the command gives up.
const pinsPatience = time.Minute

func pinsCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "pins",
		Usage:     "show the pins of what clusters fetch, check and renew their digests",
		ArgsUsage: "[COMMAND]",
		Description: `What has no digest is not pinned: a run refuses to fetch it without --var allow_unpinned=true.
'pins renew' writes a file of pins. A run that is given the file by --var-file uses these
pins instead of those that ship with kinit.`,
		UsageText: command.Examples("kinit pins", "kinit pins list --file pins.json", "kinit pins check", "kinit pins renew --file pins.json") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Subcommands: []*cli.Command{pinsList(a), pinsCheck(a), pinsRenew(a)},
		Action:      func(c *cli.Context) error { return showPins(a, c) },
	}
}

func pinsList(a *app.App) *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "show what is fetched, its version, its digest and who needs it",
		UsageText: command.Examples("kinit pins list", "kinit pins list --file pins.json", "kinit pins list --output json") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags:  []cli.Flag{pinsFileFlag("show the pins as `FILE` changes them"), command.OutputFlag("text, json")},
		Action: func(c *cli.Context) error { return showPins(a, c) },
	}
}

func pinsFileFlag(usage string) cli.Flag {
	return command.HeadInput.Text("file", usage)
}

func pinsCheck(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "check",
		Usage:     "fetch what is pinned and compare its digest",
		ArgsUsage: "[NAME...]",
		Description: `What is fetched is not kept. The exit code is 1 when a digest differs or something cannot be
fetched, else 4 when something is not pinned.`,
		UsageText: command.Examples("kinit pins check", "kinit pins check haproxy kubeadm --file pins.json") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Pending, exit.Interrupted),
		Flags:  []cli.Flag{pinsFileFlag("check the pins as `FILE` changes them")},
		Action: func(c *cli.Context) error { return checkPins(a, c) },
	}
}

func pinsRenew(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "renew",
		Usage:     "fetch what is pinned again and write its digests to a file",
		ArgsUsage: "[NAME...]",
		Description: `Pins of the file that no NAME names stay as they are. Each digest that changes is shown: if
the version is the same, ask why. If something cannot be fetched, its pin stays as it is and
the exit code is 1.`,
		UsageText: command.Examples("kinit pins renew --file pins.json", "kinit pins renew haproxy --file pins.json") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Interrupted),
		Flags:  []cli.Flag{pinsFileFlag("read and write pins in `FILE`")},
		Action: func(c *cli.Context) error { return renewPins(a, c) },
	}
}

func shippedPins() (pins.List, error) {
	text, err := fs.ReadFile(specs.FS, "pins.json")
	if err != nil {
		return nil, err
	}
	return pins.Parse(text)
}

// userPins returns the pins of --file; none without the flag.
func userPins(a *app.App, c *cli.Context) (pins.List, error) {
	path := c.String("file")
	if path == "" {
		return pins.List{}, nil
	}
	text, err := os.ReadFile(a.Abs(path))
	if err != nil {
		return nil, fmt.Errorf("read pins: %w", err)
	}
	list, err := pins.Parse(text)
	if err != nil {
		return nil, fmt.Errorf("read pins of %s: %w", path, err)
	}
	return list, nil
}

// allPins returns the pins inside the program, as changed by the user's file.
func allPins(a *app.App, c *cli.Context) (pins.List, error) {
	shipped, err := shippedPins()
	if err != nil {
		return nil, err
	}
	own, err := userPins(a, c)
	return shipped.With(own), err
}

func showPins(a *app.App, c *cli.Context) error {
	all, err := allPins(a, c)
	if err != nil {
		return err
	}
	if c.String("output") == command.OutputJSON {
		return a.JSON(all)
	}
	rows := [][]string{{"NAME", "VERSION", "DIGEST", "USED BY", "REFERENCE"}}
	for _, name := range all.Names() {
		pin := all[name]
		rows = append(rows, []string{name, pin.Version, pinned(pin.Digest), pin.Used, pin.Reference()})
	}
	return a.Lines(view.Table(rows)...)
}

func pinned(digest string) string { return cmp.Or(digest, "not pinned") }

func checkPins(a *app.App, c *cli.Context) error {
	all, err := allPins(a, c)
	if err != nil {
		return err
	}
	code := exit.OK
	err = fetchPins(a, c, all, func(name, digest string, problem error) error {
		switch was := all[name].Digest; {
		case problem != nil:
			code = exit.Failed
			return a.Lines(name + "  failed: " + problem.Error())
		case was == digest:
			return a.Lines(name + "  ok")
		case was == "":
			code = cmp.Or(code, exit.Pending)
			return a.Lines(name + "  not pinned: it is " + digest)
		default:
			code = exit.Failed
			return a.Lines(name + "  differs: it is " + digest + ", pinned is " + was)
		}
	})
	return cmp.Or(err, exit.Error(code))
}

// fetchPins fetches the digests of the pins that the arguments name, else of all, one after
// another, and calls fetched for each. An interrupt ends it.
func fetchPins(a *app.App, c *cli.Context, all pins.List, fetched func(name, digest string, problem error) error) error {
	some, err := all.Some(c.Args().Slice())
	if err != nil {
		return exit.Usagef(c.Command.HelpName, "%s", err)
	}
	ctx, stop := a.Interruptible(c.Context, "", func(string) {}) // each line says what is done already
	defer stop()
	f := pins.Fetcher{Client: pins.NewClient(), Patience: pinsPatience}
	for _, name := range some.Names() {
		digest, err := f.Digest(ctx, some[name])
		if errors.Is(ctx.Err(), context.Canceled) {
			return exit.Code(exit.Interrupted)
		}
		if err := fetched(name, digest, err); err != nil {
			return err
		}
	}
	return nil
}

func renewPins(a *app.App, c *cli.Context) error {
	path := c.String("file")
	if path == "" {
		return exit.Usagef(c.Command.HelpName, "it needs --file, the file that it writes, as in --file pins.json")
	}
	path = a.Abs(path)
	own := pins.List{}
	if _, err := os.Lstat(path); err == nil {
		if own, err = userPins(a, c); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("renew pins: %w", err)
	}
	shipped, err := shippedPins()
	if err != nil {
		return err
	}
	all, code := shipped.With(own), exit.OK
	err = fetchPins(a, c, all, func(name, digest string, problem error) error {
		if problem != nil {
			code = exit.Failed
			return a.Lines(name + "  failed: " + problem.Error())
		}
		pin := all[name]
		was := pin.Digest
		pin.Digest = digest
		own[name] = pin
		if was == digest {
			return a.Lines(name + "  " + digest)
		}
		return a.Lines(name + "  " + digest + ", before: " + pinned(was))
	})
	if err != nil {
		return err
	}
	text, err := own.Text()
	if err == nil {
		err = app.ReplaceFile(path, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write pins: %w", err)
	}
	if code != exit.OK {
		return exit.Error(code)
	}
	return a.Lines("Runs take them by --var-file " + c.String("file") + ".")
}

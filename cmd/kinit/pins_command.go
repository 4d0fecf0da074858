package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/pins"
	"kinit/specs"
)

// pinsPatience is how long a site can send nothing before the command gives up.
const pinsPatience = time.Minute

func (w *world) pinsCommand() *cli.Command {
	return manual{
		path:     "pins",
		examples: []string{"kinit pins", "kinit pins list --file pins.json", "kinit pins check", "kinit pins renew --file pins.json"},
		codes:    []int{exitOK, exitFailed, exitUsage},
	}.write(&cli.Command{
		Name:      "pins",
		Usage:     "show what clusters fetch by default, check its digests and renew them",
		ArgsUsage: "[COMMAND]",
		Description: `What has no digest is not pinned: a run that would fetch it refuses, unless it has
--var allow_unpinned=true. 'pins renew' writes a file of pins, which runs take by
--var-file in place of those that ship with kinit.`,
		Subcommands: []*cli.Command{w.pinsList(), w.pinsCheck(), w.pinsRenew()},
		Action:      func(c *cli.Context) error { return w.showPins(c, outputText) },
	})
}

func (w *world) pinsList() *cli.Command {
	return manual{
		path:     "pins list",
		examples: []string{"kinit pins list", "kinit pins list --file pins.json", "kinit pins list --output json"},
		codes:    []int{exitOK, exitFailed, exitUsage},
	}.write(&cli.Command{
		Name:  "list",
		Usage: "show what is fetched, its version, its digest and who needs it",
		Flags: []cli.Flag{pinsFileFlag("show the pins as `FILE` changes them"), &cli.StringFlag{Name: "output", Category: headOutput, Value: outputText,
			Usage: "show it as `FORMAT`: text, json"}},
		Action: func(c *cli.Context) error {
			if err := errors.Join(noArguments(c), choice(c, "output", outputText, outputJSON)); err != nil {
				return err
			}
			return w.showPins(c, c.String("output"))
		},
	})
}

func pinsFileFlag(usage string) cli.Flag {
	return &cli.PathFlag{Name: "file", Category: headInput, Usage: usage}
}

func (w *world) pinsCheck() *cli.Command {
	return manual{
		path:     "pins check",
		examples: []string{"kinit pins check", "kinit pins check haproxy kubeadm --file pins.json"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitPending, exitInterrupted},
	}.write(&cli.Command{
		Name:      "check",
		Usage:     "fetch what is pinned and compare its digest",
		ArgsUsage: "[NAME...]",
		Description: `Nothing is kept of what is fetched. It ends with 1 when a digest differs or something
cannot be fetched, else with 4 when something is not pinned.`,
		Flags:  []cli.Flag{pinsFileFlag("check the pins as `FILE` changes them")},
		Action: w.checkPins,
	})
}

func (w *world) pinsRenew() *cli.Command {
	return manual{
		path:     "pins renew",
		examples: []string{"kinit pins renew --file pins.json", "kinit pins renew haproxy --file pins.json"},
		codes:    []int{exitOK, exitFailed, exitUsage, exitInterrupted},
	}.write(&cli.Command{
		Name:      "renew",
		Usage:     "fetch anew what is pinned and write its digests to a file",
		ArgsUsage: "[NAME...]",
		Description: `What the file pins already and is not named stays as it is. Each digest that another one
takes the place of is shown: with the same version that is worth a question. What could not
be fetched keeps what it had, and it ends with 1.`,
		Flags:  []cli.Flag{pinsFileFlag("read and write pins in `FILE`")},
		Action: w.renewPins,
	})
}

// shippedPins returns the pins inside the program.
func shippedPins() (pins.List, error) {
	text, err := fs.ReadFile(specs.FS, "pins.json")
	if err != nil {
		return nil, err
	}
	return pins.Parse(text)
}

// userPins returns the pins of --file; none without the flag.
func (w *world) userPins(c *cli.Context) (pins.List, error) {
	path := c.Path("file")
	if path == "" {
		return pins.List{}, nil
	}
	text, err := os.ReadFile(w.abs(path))
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
func (w *world) allPins(c *cli.Context) (pins.List, error) {
	shipped, err := shippedPins()
	if err != nil {
		return nil, err
	}
	own, err := w.userPins(c)
	return shipped.With(own), err
}

func (w *world) showPins(c *cli.Context, output string) error {
	all, err := w.allPins(c)
	if err != nil {
		return err
	}
	if output == outputJSON {
		return w.json(all)
	}
	rows := [][]string{{"NAME", "VERSION", "DIGEST", "USED BY", "REFERENCE"}}
	for _, name := range all.Names() {
		pin := all[name]
		rows = append(rows, []string{name, pin.Version, pinned(pin.Digest), pin.Used, pin.Reference()})
	}
	return w.lines(table(rows)...)
}

func pinned(digest string) string {
	if digest == "" {
		return "not pinned"
	}
	return digest
}

func (w *world) checkPins(c *cli.Context) error {
	all, err := w.allPins(c)
	if err != nil {
		return err
	}
	some, err := all.Some(c.Args().Slice())
	if err != nil {
		return usageErrorf(c.Command.HelpName, "%s", err)
	}
	code := exitOK
	err = w.fetchPins(c, some, func(name, digest string, problem error) error {
		switch was := some[name].Digest; {
		case problem != nil:
			code = exitFailed
			return w.lines(name + "  failed: " + problem.Error())
		case was == digest:
			return w.lines(name + "  ok")
		case was == "":
			if code == exitOK {
				code = exitPending
			}
			return w.lines(name + "  not pinned: it is " + digest)
		default:
			code = exitFailed
			return w.lines(name + "  differs: it is " + digest + ", pinned is " + was)
		}
	})
	if err != nil {
		return err
	}
	return ending(code)
}

// fetchPins fetches the digests of pins one after another, and calls tell for each. An
// interrupt ends it.
func (w *world) fetchPins(c *cli.Context, some pins.List, tell func(name, digest string, problem error) error) error {
	ctx, stop := w.interruptible(c.Context, "", func(string) {}) // each line says what is done already
	defer stop()
	f := pins.Fetcher{Client: http.DefaultClient, Patience: pinsPatience}
	for _, name := range some.Names() {
		digest, err := f.Digest(ctx, some[name])
		if errors.Is(ctx.Err(), context.Canceled) {
			return codeError(exitInterrupted)
		}
		if err := tell(name, digest, err); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) renewPins(c *cli.Context) error {
	path := c.Path("file")
	if path == "" {
		return usageErrorf(c.Command.HelpName, "it needs --file, the file that it writes, as in --file pins.json")
	}
	path = w.abs(path)
	own := pins.List{}
	if _, err := os.Lstat(path); err == nil {
		if own, err = w.userPins(c); err != nil {
			return err
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("renew pins: %w", err)
	}
	shipped, err := shippedPins()
	if err != nil {
		return err
	}
	all := shipped.With(own)
	some, err := all.Some(c.Args().Slice())
	if err != nil {
		return usageErrorf(c.Command.HelpName, "%s", err)
	}
	failed := false
	err = w.fetchPins(c, some, func(name, digest string, problem error) error {
		if problem != nil {
			failed = true
			return w.lines(name + "  failed: " + problem.Error())
		}
		pin := some[name]
		was := pin.Digest
		pin.Digest = digest
		own[name] = pin
		if was == digest {
			return w.lines(name + "  " + digest)
		}
		return w.lines(name + "  " + digest + ", before: " + pinned(was))
	})
	if err != nil {
		return err
	}
	text, err := own.Text()
	if err == nil {
		err = replaceFile(path, text, 0o644)
	}
	if err != nil {
		return fmt.Errorf("write pins: %w", err)
	}
	if failed {
		return ending(exitFailed)
	}
	return w.lines("Runs take them by --var-file " + c.Path("file") + ".")
}

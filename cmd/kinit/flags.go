package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/engine"
	"kinit/inventories"
)

// The headings of flags in help texts.
const (
	headInput  = "Hosts and values"
	headSelect = "What to do"
	headOutput = "Output"
)

// inputFlags select the hosts and values of a spec.
func inputFlags() []cli.Flag {
	return []cli.Flag{
		hostsFlag("work on `HOSTS`: names, groups, globs, as in 'web*:!web3,db[0]'; else all"),
		inventoryFlag(),
		&cli.StringSliceFlag{Name: "var", Category: headInput, KeepSpace: true,
			Usage: "set a variable by `NAME=VALUE`; may be repeated"},
		&cli.StringSliceFlag{Name: "var-file", Category: headInput, KeepSpace: true,
			Usage: "read variables from `FILE`; may be repeated"},
	}
}

func inventoryFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "inventory", Aliases: []string{"i"}, Category: headInput, KeepSpace: true,
		Usage: "read `FILE`, HCL or Ansible's; else $KINIT_INVENTORY, ./inventory.hcl and labs"}
}

func hostsFlag(usage string) cli.Flag {
	return &cli.StringSliceFlag{Name: "hosts", Category: headInput, Usage: usage}
}

// selectionFlags select the part of a playbook that runs, and how it runs.
func selectionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "stop-after", Category: headSelect, Usage: "stop when `STAGE` is done"},
		&cli.StringFlag{Name: "start-at", Category: headSelect, Usage: "leave out what comes before `STAGE`"},
		&cli.StringSliceFlag{Name: "only", Category: headSelect,
			Usage: "do only `TASKS`: addresses, names or stages with commas between"},
		&cli.StringSliceFlag{Name: "skip", Category: headSelect,
			Usage: "leave out `TASKS`: addresses, names or stages with commas between"},
		&cli.StringSliceFlag{Name: "limit", Aliases: []string{"l"}, Category: headSelect,
			Usage: "leave out tasks on other hosts than `HOSTS`; all else stays as it is"},
		&cli.BoolFlag{Name: "recreate", Category: headSelect, Usage: "remove what exists before building"},
		&cli.BoolFlag{Name: "purge", Category: headSelect, Usage: "when removing, remove packages and images too"},
		forksFlag(),
	}
}

// adoptFlag lets this controller take over objects of another controller.
func adoptFlag() cli.Flag {
	return &cli.BoolFlag{Name: "adopt", Category: headSelect,
		Usage: "work on what has the name on the hosts, whoever made it"}
}

func freshFactsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "fresh-facts", Category: headSelect, Usage: "read facts anew that an earlier run has kept"}
}

func forksFlag() cli.Flag {
	return &cli.IntFlag{Name: "forks", Category: headSelect, Value: engine.DefaultForks,
		Usage: fmt.Sprintf("do `N` tasks at the same time; %d when left out", engine.DefaultForks)}
}

// outputFlags control the output.
func outputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: headOutput, Count: new(int),
			Usage: "show steps with diffs, retries, inventories, the log; -vv also what starts"},
		&cli.StringFlag{Name: "output", Category: headOutput, Value: outputText,
			Usage: "show it as `FORMAT`: text, json (events as lines), quiet (failures only)"},
		noColorFlag(),
	}
}

// diffFlags control whether steps are shown with their diffs.
func diffFlags(usage string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "diff", Category: headOutput, Usage: usage},
		&cli.BoolFlag{Name: "no-diff", Category: headOutput, Usage: "show the first line of every step alone"},
	}
}

func noColorFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-color", Category: headOutput, Usage: "show no colours, as with $NO_COLOR"}
}

// colours turns colours off for --no-color.
func (w *world) colours(c *cli.Context) {
	if c.Bool("no-color") {
		w.out.Colour, w.err.Colour = false, false
	}
}

// The values of --output.
const (
	outputText  = "text"
	outputJSON  = "json"
	outputQuiet = "quiet"
)

// options turns flags into engine options. Flags that a command does not have count as
// not given.
func (w *world) options(c *cli.Context, spec string) (engine.Options, error) {
	values, err := variables(c)
	if err != nil {
		return engine.Options{}, err
	}
	if c.IsSet("forks") && c.Int("forks") < 1 {
		return engine.Options{}, usageErrorf(c.Command.HelpName, "--forks must be at least 1, %d was given", c.Int("forks"))
	}
	o := w.baseOptions(spec)
	o.Hosts, o.Limit, o.Only, o.Skip = list(c, "hosts"), list(c, "limit"), list(c, "only"), list(c, "skip")
	o.Vars, o.VarFiles = values, c.StringSlice("var-file")
	o.StopAfter, o.StartAt = c.String("stop-after"), c.String("start-at")
	o.FreshFacts, o.Adopt = c.Bool("fresh-facts"), c.Bool("adopt")
	if folder := c.String("full-output"); folder != "" {
		o.OutputDir = w.abs(folder)
	}
	o.Recreate, o.Purge, o.Forks = c.Bool("recreate"), c.Bool("purge"), c.Int("forks")
	return o, nil
}

// inputs turns flags into engine options, with the inventories.
func (w *world) inputs(c *cli.Context, spec string) (engine.Options, error) {
	o, err := w.options(c, spec)
	if err != nil {
		return o, err
	}
	o.Inventories, o.Reserved, err = w.inventoryFiles(c.StringSlice("inventory"))
	return o, err
}

// baseOptions returns the engine options that no flag sets.
func (w *world) baseOptions(spec string) engine.Options {
	return engine.Options{
		Inputs: engine.Inputs{Spec: spec, Cwd: w.cwd}, Environ: w.environ,
		Builtin: shipped{}, Inventory: inventories.FS,
		Home: w.env("HOME"), CacheDir: w.cacheFolder(), StateDir: w.stateFolder(), Kinds: w.kinds(),
	}
}

// variables returns the values of --var; the last value of a name wins.
func variables(c *cli.Context) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range c.StringSlice("var") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, usageErrorf(c.Command.HelpName, "--var takes NAME=VALUE, %q was given", pair)
		}
		values[name] = value
	}
	return values, nil
}

// list returns the values of a flag that can be repeated and can contain commas. A comma
// within brackets belongs to an address, as in task.file.a["x,y"].
func list(c *cli.Context, name string) []string { return split(c.StringSlice(name)) }

func split(values []string) []string {
	var all []string
	for _, value := range values {
		depth, start := 0, 0
		for i, r := range value {
			switch r {
			case '[':
				depth++
			case ']':
				depth--
			case ',':
				if depth <= 0 {
					all = append(all, value[start:i])
					start = i + 1
				}
			}
		}
		all = append(all, value[start:])
	}
	return trimmed(all)
}

// trimmed removes spaces around texts, and empty texts.
func trimmed(texts []string) []string {
	var out []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); text != "" {
			out = append(out, text)
		}
	}
	return out
}

// choice reports whether a flag has one of its values.
func choice(c *cli.Context, name string, values ...string) error {
	if slices.Contains(values, c.String(name)) {
		return nil
	}
	return usageErrorf(c.Command.HelpName, "--%s must be one of %s, %q was given",
		name, strings.Join(values, ", "), c.String(name))
}

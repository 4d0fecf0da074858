package command

import (
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
)

// The headings of flags in help texts.
const (
	HeadInput  = "Hosts and values"
	HeadSelect = "What to do"
	HeadOutput = "Output"
)

// LifeOfClusters is the heading of commands for clusters that exist.
const LifeOfClusters = "A cluster's life"

// InputFlags select the hosts and values of a spec.
func InputFlags() []cli.Flag {
	return []cli.Flag{
		HostsFlag("work on `HOSTS`: names, groups, globs, as in 'web*:!web3,db[0]'; default: all"),
		InventoryFlag(),
		&cli.StringSliceFlag{Name: "var", Category: HeadInput, KeepSpace: true,
			Usage: "set a variable by `NAME=VALUE`; may be repeated"},
		&cli.StringSliceFlag{Name: "var-file", Category: HeadInput, KeepSpace: true,
			Usage: "read variables from `FILE`; may be repeated"},
		&cli.StringSliceFlag{Name: "set", Category: HeadInput, KeepSpace: true,
			Usage: "change the cluster by `PATH=VALUE`: pool.compute.memory=8GiB; may be repeated"},
	}
}

func InventoryFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "inventory", Aliases: []string{"i"}, Category: HeadInput, KeepSpace: true,
		Usage: "read hosts from `FILE`; default: $KINIT_INVENTORY, or inventory.hcl and labs"}
}

func HostsFlag(usage string) cli.Flag {
	return &cli.StringSliceFlag{Name: "hosts", Category: HeadInput, Usage: usage}
}

// SelectionFlags select the part of a playbook that runs, and how it runs.
func SelectionFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "stop-after", Category: HeadSelect, Usage: "stop when `STAGE` is done"},
		&cli.StringFlag{Name: "start-at", Category: HeadSelect, Usage: "begin with `STAGE` and leave out what comes before it"},
		&cli.StringSliceFlag{Name: "only", Category: HeadSelect,
			Usage: "do only `TASKS`: addresses, names or stages, separated by commas"},
		&cli.StringSliceFlag{Name: "skip", Category: HeadSelect,
			Usage: "leave out `TASKS`: addresses, names or stages, separated by commas"},
		&cli.StringSliceFlag{Name: "tags", Category: HeadSelect,
			Usage: "do only tasks with one of `TAGS`, and those tagged always; separated by commas"},
		&cli.StringSliceFlag{Name: "skip-tags", Category: HeadSelect,
			Usage: "leave out tasks with one of `TAGS`, separated by commas"},
		&cli.StringSliceFlag{Name: "limit", Aliases: []string{"l"}, Category: HeadSelect,
			Usage: "do only tasks on `HOSTS`; the plan is otherwise the same"},
		&cli.BoolFlag{Name: "recreate", Category: HeadSelect, Usage: "remove what exists before building"},
		&cli.BoolFlag{Name: "purge", Category: HeadSelect, Usage: "when something is removed, remove its packages and images too"},
		ForksFlag(),
	}
}

// AdoptFlag lets this controller take over objects of another controller.
func AdoptFlag() cli.Flag {
	return &cli.BoolFlag{Name: "adopt", Category: HeadSelect,
		Usage: "work also on what another controller made under the same name"}
}

// RebalanceFlag moves nodes that exist.
func RebalanceFlag() cli.Flag {
	return &cli.BoolFlag{Name: "rebalance", Category: HeadSelect,
		Usage: "move nodes so that hypervisors have equal shares; what is on them is lost"}
}

// LostFlag gives up what hosts had of a cluster.
func LostFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "lost", Category: HeadInput,
		Usage: "`HOSTS` do not come back: what they had is made anew elsewhere"}
}

// YesDestroyFlag accepts that data is lost with nodes that leave.
func YesDestroyFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "yes-destroy", Category: HeadSelect,
		Usage: "let `NODES` leave the cluster even if data is lost with them"}
}

func FreshFactsFlag() cli.Flag {
	return &cli.BoolFlag{Name: "fresh-facts", Category: HeadSelect, Usage: "read facts again, instead of using those that an earlier run has kept"}
}

// ForksFlag limits how many tasks run at the same time.
func ForksFlag() cli.Flag {
	return &cli.IntFlag{Name: "forks", Category: HeadSelect, Value: engine.DefaultForks,
		Usage: fmt.Sprintf("do `N` tasks at the same time; default: %d", engine.DefaultForks)}
}

// OutputFlags control the output.
func OutputFlags() []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: HeadOutput, Count: new(int),
			Usage: "show diffs, output, what is ok, retries and the log's path; -vv: starts too"},
		OutputFlag("text, json (an event per line), quiet (failures only)"),
		NoColorFlag(),
	}
}

// DiffFlags control whether steps are shown with their diffs.
func DiffFlags(usage string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "diff", Category: HeadOutput, Usage: usage},
		&cli.BoolFlag{Name: "no-diff", Category: HeadOutput, Usage: "show only the first line of every step"},
	}
}

// OutputFlag selects one of the formats that the usage names.
func OutputFlag(usage string) cli.Flag {
	return &cli.StringFlag{Name: "output", Category: HeadOutput, Value: OutputText, Usage: "print as `FORMAT`: " + usage}
}

func NoColorFlag() cli.Flag {
	return &cli.BoolFlag{Name: "no-color", Category: HeadOutput, Usage: "show no colours, as with $NO_COLOR"}
}

// Colours turns colours off for --no-color.
func Colours(a *app.App, c *cli.Context) {
	if c.Bool("no-color") {
		a.Out.Colour, a.Err.Colour = false, false
	}
}

// The values of --output.
const (
	OutputText  = "text"
	OutputJSON  = "json"
	OutputQuiet = "quiet"
)

// Options turns flags into engine options. Flags that a command does not have count as
// not given.
func Options(a *app.App, c *cli.Context, spec string) (engine.Options, error) {
	values, err := variables(c)
	if err != nil {
		return engine.Options{}, err
	}
	if c.IsSet("forks") && c.Int("forks") < 1 {
		return engine.Options{}, exit.Usagef(c.Command.HelpName, "--forks must be at least 1, %d was given", c.Int("forks"))
	}
	o := a.BaseOptions(spec)
	o.Hosts, o.Limit, o.Only, o.Skip = List(c, "hosts"), List(c, "limit"), List(c, "only"), List(c, "skip")
	o.Tags, o.SkipTags = List(c, "tags"), List(c, "skip-tags")
	o.Vars, o.VarFiles, o.Set = values, c.StringSlice("var-file"), c.StringSlice("set")
	o.StopAfter, o.StartAt = c.String("stop-after"), c.String("start-at")
	o.FreshFacts, o.Adopt = c.Bool("fresh-facts"), c.Bool("adopt")
	o.Rebalance, o.Lost, o.Offline = c.Bool("rebalance"), List(c, "lost"), c.Bool("offline")
	o.YesDestroy = List(c, "yes-destroy")
	if folder := c.String("full-output"); folder != "" {
		o.OutputDir = a.Abs(folder)
	}
	o.Recreate, o.Purge, o.Forks = c.Bool("recreate"), c.Bool("purge"), c.Int("forks")
	return o, nil
}

// SpecOptions turns flags and the only argument, a spec, into engine options.
func SpecOptions(a *app.App, c *cli.Context) (engine.Options, error) {
	if c.NArg() != 1 {
		return engine.Options{}, exit.Usagef(c.Command.HelpName, "it takes one SPEC, %d were given", c.NArg())
	}
	return OptionsWithInventories(a, c, c.Args().First())
}

// OptionsWithInventories is Options, with the inventories that the flags name or imply.
func OptionsWithInventories(a *app.App, c *cli.Context, spec string) (engine.Options, error) {
	o, err := Options(a, c, spec)
	if err != nil {
		return o, err
	}
	o.Inventories, o.Reserved, err = a.InventoryFiles(c.StringSlice("inventory"))
	return o, err
}

// variables returns the values of --var; the last value of a name wins.
func variables(c *cli.Context) (map[string]string, error) {
	values := map[string]string{}
	for _, pair := range c.StringSlice("var") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return nil, exit.Usagef(c.Command.HelpName, "--var takes NAME=VALUE, %q was given", pair)
		}
		values[name] = value
	}
	return values, nil
}

// List returns the values of a flag that can be repeated and can contain commas. A comma
// within brackets belongs to an address, as in task.file.a["x,y"].
func List(c *cli.Context, name string) []string { return Split(c.StringSlice(name)) }

func Split(values []string) []string {
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
	return app.Trimmed(all)
}

// Choice reports whether a flag has one of its values.
func Choice(c *cli.Context, name string, values ...string) error {
	if slices.Contains(values, c.String(name)) {
		return nil
	}
	return exit.Usagef(c.Command.HelpName, "--%s must be one of %s, %q was given",
		name, strings.Join(values, ", "), c.String(name))
}

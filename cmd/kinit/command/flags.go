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

// Head is a heading in help texts. Its methods make the flags below it: usages have the name of a flag's value
// in backquotes.
type Head string

// The headings of flags.
const (
	HeadInput  Head = "Hosts and values"
	HeadSelect Head = "What to do"
	HeadOutput Head = "Output"
)

// Switch is a flag without a value.
func (h Head) Switch(name, usage string, short ...string) cli.Flag {
	return &cli.BoolFlag{Name: name, Aliases: short, Category: string(h), Usage: usage}
}

func (h Head) Text(name, usage string, short ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Aliases: short, Category: string(h), Usage: usage}
}

// TextOr is a flag with a text that has a default.
func (h Head) TextOr(name, otherwise, usage string) cli.Flag {
	return &cli.StringFlag{Name: name, Category: string(h), Value: otherwise, Usage: usage}
}

// Choice is a flag with one of several values, of which the first is the default.
func (h Head) Choice(name, usage string, values ...string) cli.Flag {
	return &cli.StringFlag{Name: name, Category: string(h), Value: values[0], Usage: usage,
		Action: func(c *cli.Context, _ string) error { return Choice(c, name, values...) }}
}

// Texts is a flag that may be repeated. Spaces around a value belong to it.
func (h Head) Texts(name, usage string, short ...string) cli.Flag {
	return &cli.StringSliceFlag{Name: name, Aliases: short, Category: string(h), KeepSpace: true, Usage: usage}
}

// List is a flag that may be repeated. Spaces around a value do not belong to it.
func (h Head) List(name, usage string, short ...string) cli.Flag {
	return &cli.StringSliceFlag{Name: name, Aliases: short, Category: string(h), Usage: usage}
}

func (h Head) Number(name, usage string, otherwise int) cli.Flag {
	return &cli.IntFlag{Name: name, Category: string(h), Value: otherwise, Usage: usage}
}

// CleanupStage is the stage by which playbooks remove what they have made. A run that ends with it removes all of it.
const CleanupStage = "cleanup"

// LifeOfClusters is the heading of commands for clusters that exist.
const LifeOfClusters = "A cluster's life"

// InputFlags select the hosts and values of a spec.
func InputFlags() []cli.Flag {
	return append([]cli.Flag{
		HostsFlag("work on `HOSTS`: names, groups, globs, as in 'web*:!web3,db[0]'; default: all"),
		InventoryFlag(),
		HeadInput.Texts("var", "set a variable by `NAME=VALUE`; may be repeated"),
		HeadInput.Texts("var-file", "read variables from `FILE`; may be repeated"),
		HeadInput.Texts("set", "change the cluster by `PATH=VALUE`: pool.compute.memory=8GiB; may be repeated"),
	}, VaultFlags()...)
}

func InventoryFlag() cli.Flag {
	return HeadInput.Texts("inventory", "read hosts from `FILE`; default: $KINIT_INVENTORY, or inventory.hcl and labs", "i")
}

func HostsFlag(usage string) cli.Flag {
	return HeadInput.List("hosts", usage)
}

// SelectionFlags select the part of a playbook that runs, and how it runs.
func SelectionFlags() []cli.Flag {
	return []cli.Flag{
		HeadSelect.Text("stop-after", "stop when `STAGE` is done"),
		HeadSelect.Text("start-at", "begin with `STAGE` and leave out what comes before it"),
		HeadSelect.List("only", "do only `TASKS`: addresses, names or stages, separated by commas"),
		HeadSelect.List("skip", "leave out `TASKS`: addresses, names or stages, separated by commas"),
		HeadSelect.List("tags", "do only tasks with one of `TAGS`, and those tagged always; separated by commas"),
		HeadSelect.List("skip-tags", "leave out tasks with one of `TAGS`, separated by commas"),
		HeadSelect.List("limit", "do only tasks on `HOSTS`; the plan is otherwise the same", "l"),
		HeadSelect.Switch("recreate", "remove what exists before building"),
		HeadSelect.Switch("purge", "when something is removed, remove its packages and images too"),
		ForksFlag(),
	}
}

// AdoptFlag lets this controller take over objects of another controller.
func AdoptFlag() cli.Flag {
	return HeadSelect.Switch("adopt", "work also on what another controller made under the same name")
}

// RebalanceFlag moves nodes that exist.
func RebalanceFlag() cli.Flag {
	return HeadSelect.Switch("rebalance", "move nodes so that hypervisors have equal shares; what is on them is lost")
}

// LostFlag gives up what hosts had of a cluster.
func LostFlag() cli.Flag {
	return HeadInput.List("lost", "`HOSTS` do not come back: recreate their nodes elsewhere")
}

// RemoveFlag names what a run may remove.
func RemoveFlag() cli.Flag {
	return HeadSelect.List("remove", "remove `NAMES`, which the spec no longer has: nodes, volumes and others")
}

// YesDestroyFlag accepts that data is lost with nodes that leave.
func YesDestroyFlag() cli.Flag {
	return HeadSelect.List("yes-destroy", "let `NODES` leave the cluster even if data is lost with them")
}

func FreshFactsFlag() cli.Flag {
	return HeadSelect.Switch("fresh-facts", "read facts again, instead of using those that an earlier run has kept")
}

// ForksFlag limits how many tasks run at the same time.
func ForksFlag() cli.Flag {
	return HeadSelect.Number("forks", fmt.Sprintf("do `N` tasks at the same time; default: %d", engine.DefaultForks), engine.DefaultForks)
}

// OutputFlags control the output of a command that prints an event per line as JSON.
func OutputFlags() []cli.Flag { return outputFlags("an event per line", "failures, recap") }

// OutputFlagsOf control the output of a command that prints something else as JSON.
func OutputFlagsOf(json string) []cli.Flag { return outputFlags(json, "failures only") }

func outputFlags(json, quiet string) []cli.Flag {
	return []cli.Flag{
		&cli.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Category: string(HeadOutput), Count: new(int),
			Usage: "show diffs, output, what is ok, retries and the log's path; -vv: starts too"},
		OutputFlag("text, json ("+json+"), quiet ("+quiet+")", OutputQuiet),
		NoColorFlag(),
	}
}

// DiffFlags control whether steps are shown with their diffs.
func DiffFlags(usage string) []cli.Flag {
	return []cli.Flag{
		HeadOutput.Switch("diff", usage),
		HeadOutput.Switch("no-diff", "show only the first line of every step"),
	}
}

// OutputFlag selects one of the formats that the usage names: text, json, or one more.
func OutputFlag(usage string, more ...string) cli.Flag {
	return HeadOutput.Choice("output", "print as `FORMAT`: "+usage, append([]string{OutputText, OutputJSON}, more...)...)
}

func NoColorFlag() cli.Flag {
	return HeadOutput.Switch("no-color", "show no colours, as with $NO_COLOR")
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
	if o.Vault, err = VaultIdentities(a, c); err != nil {
		return o, err
	}
	if o.Passwords, err = Passwords(a, c); err != nil {
		return o, err
	}
	o.Hosts, o.Limit, o.Only, o.Skip = List(c, "hosts"), List(c, "limit"), List(c, "only"), List(c, "skip")
	o.Tags, o.SkipTags = List(c, "tags"), List(c, "skip-tags")
	o.Vars, o.VarFiles, o.Set = values, c.StringSlice("var-file"), c.StringSlice("set")
	o.StopAfter, o.StartAt = c.String("stop-after"), c.String("start-at")
	o.FreshFacts, o.Adopt = c.Bool("fresh-facts"), c.Bool("adopt")
	o.Rebalance, o.Lost, o.Offline = c.Bool("rebalance"), List(c, "lost"), c.Bool("offline")
	o.YesDestroy, o.Remove = List(c, "yes-destroy"), List(c, "remove")
	o.CleansUp = o.StopAfter == CleanupStage
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

package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/view"
	"kinit/engine"
)

func (w *world) inventoryCommand() *cli.Command {
	return manual{
		path:     "inventory",
		examples: []string{"kinit inventory list", "kinit inventory graph -i hosts.ini", "kinit inventory vars web1"},
	}.write(&cli.Command{
		Name:      "inventory",
		Usage:     "show hosts, groups and variables of the inventories",
		ArgsUsage: "COMMAND",
		Description: `Inventories are HCL, or Ansible's as they are: INI, YAML, scripts, and folders of
these with group_vars and host_vars. No host is touched; scripts are run. In HCL,
the block lock says in which etcd a team keeps its locks.`,
		Subcommands: []*cli.Command{w.inventoryList(), w.inventoryGraph(), w.inventoryVars()},
		Action:      cli.ShowSubcommandHelp,
	})
}

func (w *world) inventoryList() *cli.Command {
	return manual{
		path:     "inventory list",
		examples: []string{"kinit inventory list --hosts 'web:!web3'", "kinit inventory list -i production/ --output json"},
		codes:    inventoryCodes(),
	}.write(&cli.Command{
		Name:  "list",
		Usage: "list hosts with their addresses and groups",
		Flags: inventoryFlags(hostsFlag("list `HOSTS`: names, groups, globs, as in 'web*:!web3,db[0]'; else all")),
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return w.onInventory(c, list(c, "hosts"), inventoryShow{hostLines, hostsAsJSON})
		},
	})
}

func (w *world) inventoryGraph() *cli.Command {
	return manual{
		path:     "inventory graph",
		examples: []string{"kinit inventory graph", "kinit inventory graph -i one.ini -i two.yml --output json"},
		codes:    inventoryCodes(),
	}.write(&cli.Command{
		Name:  "graph",
		Usage: "show which groups and hosts are in which groups, as a tree",
		Flags: inventoryFlags(),
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			return w.onInventory(c, nil, inventoryShow{treeLines, groupsAsJSON})
		},
	})
}

func (w *world) inventoryVars() *cli.Command {
	return manual{
		path:     "inventory vars",
		examples: []string{"kinit inventory vars web1", "kinit inventory vars web1 -i hosts.ini --output json"},
		codes:    inventoryCodes(),
	}.write(&cli.Command{
		Name:      "vars",
		Usage:     "show the variables of a host and where each value comes from",
		ArgsUsage: "HOST",
		Description: `Values are shown as JSON. Those of variables whose names end in a word such as
password, token or secret are shown as ***.`,
		Flags: inventoryFlags(),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return usageErrorf(c.Command.HelpName, "it takes one HOST, %d were given", c.NArg())
			}
			return w.onInventory(c, []string{c.Args().First()}, inventoryShow{varLines, varsAsJSON})
		},
	})
}

func inventoryCodes() []int { return []int{exitOK, exitUsage, exitInvalid, exitInterrupted} }

func inventoryFlags(more ...cli.Flag) []cli.Flag {
	return slices.Concat(more, []cli.Flag{
		inventoryFlag(),
		&cli.StringFlag{Name: "output", Category: headOutput, Value: outputText, Usage: "show it as `FORMAT`: text or json"},
		noColorFlag(),
	})
}

// inventoryShow renders an inventory as text and as JSON.
type inventoryShow struct {
	lines func(engine.Inventory) []string
	json  func(engine.Inventory) inventoryDocument
}

// onInventory reads the inventories and shows the requested part.
func (w *world) onInventory(c *cli.Context, hosts []string, show inventoryShow) error {
	if err := choice(c, "output", outputText, outputJSON); err != nil {
		return err
	}
	o, err := w.options(c, "")
	if err != nil {
		return err
	}
	if o.Inventories, _, err = w.inventoryFiles(c.StringSlice("inventory")); err != nil {
		return err
	}
	o.Hosts = hosts
	ctx, u, err := w.begin(c, o, shows{mode: view.Read})
	if err != nil {
		return err
	}
	inv, report := engine.ReadInventory(ctx, u.options)
	report = u.masked(report)
	code := codeOf(report, false)
	if c.String("output") == outputJSON {
		document := inventoryDocument{}
		if !report.Invalid {
			document = show.json(inv)
		}
		document.Diagnostics = view.NewSummary("", report, code).Diagnostics
		return cmp.Or(w.json(document), ending(code))
	}
	if !report.Invalid {
		err = w.lines(show.lines(inv)...)
	}
	u.screen.Close(report, code)
	return cmp.Or(err, ending(code))
}

package main

import (
	"cmp"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
)

func inventoryCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "inventory",
		Usage:     "show hosts, groups and variables of the inventories",
		ArgsUsage: "COMMAND",
		Description: `An inventory is an HCL file, or one of Ansible's, unchanged: INI, YAML, a script, or a folder
of these with group_vars and host_vars. No host is touched; scripts are run. In HCL, the
block lock names the etcd in which a team keeps its locks. A host in HCL:

  host "web1" {
    address = "192.0.2.10"
    port    = 2222
    user    = "root"
  }

docs/inventory.md lists all settings.`,
		UsageText:   command.Examples("kinit inventory list", "kinit inventory graph -i hosts.ini", "kinit inventory vars web1"),
		Subcommands: []*cli.Command{inventoryList(a), inventoryGraph(a), inventoryVars(a)},
		Action:      cli.ShowSubcommandHelp,
	}
}

func inventoryList(a *app.App) *cli.Command {
	return &cli.Command{
		Name:  "list",
		Usage: "list hosts with their addresses and groups",
		UsageText: command.Examples("kinit inventory list --hosts 'web:!web3'", "kinit inventory list -i production/ --output json") +
			command.ExitCodes(inventoryCodes()...),
		Flags: inventoryFlags(command.HostsFlag("list `HOSTS`: names, groups, globs, as in 'web*:!web3,db[0]'; default: all")),
		Action: func(c *cli.Context) error {
			return onInventory(a, c, command.List(c, "hosts"), inventoryShow{hostLines, hostsAsJSON})
		},
	}
}

func inventoryGraph(a *app.App) *cli.Command {
	return &cli.Command{
		Name:  "graph",
		Usage: "show groups with their groups and hosts, as a tree",
		UsageText: command.Examples("kinit inventory graph", "kinit inventory graph -i one.ini -i two.yml --output json") +
			command.ExitCodes(inventoryCodes()...),
		Flags: inventoryFlags(),
		Action: func(c *cli.Context) error {
			return onInventory(a, c, nil, inventoryShow{treeLines, groupsAsJSON})
		},
	}
}

func inventoryVars(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "vars",
		Usage:     "show the variables of a host and where each value comes from",
		ArgsUsage: "HOST",
		Description: `Values are shown as JSON. Those of variables whose names end in a word such as
password, token or secret are shown as ***.`,
		UsageText: command.Examples("kinit inventory vars web1", "kinit inventory vars web1 -i hosts.ini --output json") +
			command.ExitCodes(inventoryCodes()...),
		Flags: inventoryFlags(),
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return exit.Usagef(c.Command.HelpName, "it takes one HOST, %d were given", c.NArg())
			}
			return onInventory(a, c, []string{c.Args().First()}, inventoryShow{varLines, varsAsJSON})
		},
	}
}

func inventoryCodes() []int { return []int{exit.OK, exit.Usage, exit.Invalid, exit.Interrupted} }

func inventoryFlags(more ...cli.Flag) []cli.Flag {
	return slices.Concat(more, []cli.Flag{
		command.InventoryFlag(),
	}, command.VaultFlags(), []cli.Flag{
		command.OutputFlag("text, json"),
		command.NoColorFlag(),
	})
}

// inventoryShow renders an inventory as text and as JSON.
type inventoryShow struct {
	lines func(engine.Inventory) []string
	json  func(engine.Inventory) inventoryDocument
}

func onInventory(a *app.App, c *cli.Context, hosts []string, show inventoryShow) error {
	o, err := command.Options(a, c, "")
	if err != nil {
		return err
	}
	if o.Inventories, _, err = a.InventoryFiles(c.StringSlice("inventory")); err != nil {
		return err
	}
	o.Hosts = hosts
	ctx, s, err := command.Begin(a, c, o, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	inv, report := engine.ReadInventory(ctx, s.Options)
	report, code := s.CloseRecording(report)
	if c.String("output") == command.OutputJSON {
		document := inventoryDocument{}
		if !report.Invalid {
			document = show.json(inv)
		}
		document.Diagnostics = view.NewSummary("", report, code).Diagnostics
		return cmp.Or(a.JSON(document), exit.Error(code))
	}
	if !report.Invalid {
		err = a.Lines(show.lines(inv)...)
	}
	s.Screen.Close(report, code)
	return cmp.Or(err, exit.Error(code))
}

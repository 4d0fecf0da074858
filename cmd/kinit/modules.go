package main

import (
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine/diag"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/modules/reference"
)

// The widths of a module's reference: without a terminal, and the maximum, because long
// lines are hard to read.
const (
	usualColumns = 80
	mostColumns  = 100
)

func modulesCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "modules",
		Usage:     "list the modules that tasks may use, or show the reference of one",
		ArgsUsage: "[MODULE]",
		UsageText: command.Examples("kinit modules", "kinit modules copy", "kinit modules copy --output json") +
			command.ExitCodes(exit.OK, exit.Usage),
		Flags:  []cli.Flag{command.OutputFlag("text, json")},
		Action: func(c *cli.Context) error { return showModules(a, c) },
	}
}

func showModules(a *app.App, c *cli.Context) error {
	switch c.NArg() {
	case 0:
		return listModules(a, c)
	case 1:
		return showModule(a, c)
	}
	return exit.Usagef(c.Command.HelpName, "it takes one MODULE at most, %d were given", c.NArg())
}

// listed is a module in the list.
type listed struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

func listModules(a *app.App, c *cli.Context) error {
	var all []reference.Module
	for _, name := range moduleNames(a) {
		m, err := reference.Of(name)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	if c.String("output") == command.OutputText {
		return a.Lines(reference.Table(all)...)
	}
	return a.JSON(lists.Map(all, func(m reference.Module) listed { return listed{m.Name, m.Summary} }))
}

func showModule(a *app.App, c *cli.Context) error {
	name := c.Args().First()
	m, err := reference.Of(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return exit.Usagef(c.Command.HelpName, "unknown module %q.%s", name, diag.Near(name, moduleNames(a)))
	case err != nil:
		return err
	case c.String("output") == command.OutputJSON:
		return a.JSON(m)
	}
	columns := usualColumns
	if a.Out.Size != nil {
		columns, _ = a.Out.Size()
	}
	_, err = io.WriteString(a.Out, m.Manual(min(columns, mostColumns)))
	return err
}

func moduleNames(a *app.App) []string {
	names := lists.Map(a.Kinds(), func(kind module.Kind) string { return kind.Name })
	slices.Sort(names)
	return names
}

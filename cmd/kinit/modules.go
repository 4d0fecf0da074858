package main

import (
	"errors"
	"io"
	"io/fs"
	"slices"

	"github.com/urfave/cli/v2"

	"kinit/engine/diag"
	"kinit/modules/reference"
)

// The widths of a module's reference: without a terminal, and the maximum, because long
// lines are hard to read.
const (
	usualColumns = 80
	mostColumns  = 100
)

func (w *world) modulesCommand() *cli.Command {
	return manual{
		path:     "modules",
		examples: []string{"kinit modules", "kinit modules copy", "kinit modules copy --output json"},
		codes:    []int{exitOK, exitUsage},
	}.write(&cli.Command{
		Name:      "modules",
		Usage:     "list the modules that tasks may use, or show the reference of one",
		ArgsUsage: "[MODULE]",
		Flags: []cli.Flag{&cli.StringFlag{Name: "output", Category: headOutput, Value: outputText,
			Usage: "show it as `FORMAT`: text, json"}},
		Action: w.showModules,
	})
}

func (w *world) showModules(c *cli.Context) error {
	if err := choice(c, "output", outputText, outputJSON); err != nil {
		return err
	}
	switch c.NArg() {
	case 0:
		return w.listModules(c)
	case 1:
		return w.showModule(c)
	}
	return usageErrorf(c.Command.HelpName, "it takes one MODULE at most, %d were given", c.NArg())
}

// listed is a module in the list.
type listed struct {
	Name    string `json:"name"`
	Summary string `json:"summary"`
}

func (w *world) listModules(c *cli.Context) error {
	var all []reference.Module
	for _, name := range w.moduleNames() {
		m, err := reference.Of(name)
		if err != nil {
			return err
		}
		all = append(all, m)
	}
	if c.String("output") == outputText {
		return w.lines(reference.Table(all)...)
	}
	var list []listed
	for _, m := range all {
		list = append(list, listed{m.Name, m.Summary})
	}
	return w.json(list)
}

func (w *world) showModule(c *cli.Context) error {
	name := c.Args().First()
	m, err := reference.Of(name)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
		return usageErrorf(c.Command.HelpName, "unknown module %q.%s", name, diag.Near(name, w.moduleNames()))
	case err != nil:
		return err
	case c.String("output") == outputJSON:
		return w.json(m)
	}
	_, err = io.WriteString(w.out, m.Manual(w.columns()))
	return err
}

// moduleNames returns the sorted names of all modules.
func (w *world) moduleNames() []string {
	var names []string
	for _, kind := range w.kinds() {
		names = append(names, kind.Name)
	}
	slices.Sort(names)
	return names
}

// columns returns the width for text.
func (w *world) columns() int {
	if w.out.Size == nil {
		return usualColumns
	}
	columns, _ := w.out.Size()
	return min(columns, mostColumns)
}

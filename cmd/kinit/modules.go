package main

import (
	"slices"

	"github.com/urfave/cli/v2"
)

func (w *world) modulesCommand() *cli.Command {
	return manual{
		path:     "modules",
		examples: []string{"kinit modules"},
		codes:    []int{exitOK, exitUsage},
	}.write(&cli.Command{
		Name:  "modules",
		Usage: "list the modules that tasks may use",
		Action: func(c *cli.Context) error {
			if err := noArguments(c); err != nil {
				return err
			}
			var names []string
			for _, kind := range w.kinds() {
				names = append(names, kind.Name)
			}
			slices.Sort(names)
			return w.lines(names...)
		},
	})
}

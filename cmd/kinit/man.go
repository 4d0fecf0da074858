package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

// manCommand writes the manual pages of all commands into a folder, for packages of kinit.
func manCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "__man",
		Usage:     "write manual pages",
		ArgsUsage: "FOLDER",
		Hidden:    true,
		Action: func(c *cli.Context) error {
			if c.NArg() != 1 {
				return exit.Usagef(c.Command.HelpName, "it takes a folder")
			}
			for name, text := range manPages(newCLI(a), a.Version) {
				if err := os.WriteFile(filepath.Join(a.Abs(c.Args().First()), name), []byte(text), 0o644); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

// manPages returns the manual pages by their file names.
func manPages(program *cli.App, version string) map[string]string {
	pages := map[string]string{program.Name + ".1": command.AppMan(program, version)}
	var add func(commands []*cli.Command, above string)
	add = func(commands []*cli.Command, above string) {
		for _, c := range commands {
			if c.Hidden {
				continue
			}
			name := above + " " + c.Name
			pages[strings.ReplaceAll(name, " ", "-")+".1"] = command.Man(c, above, version)
			add(c.Subcommands, name)
		}
	}
	add(program.Commands, program.Name)
	return pages
}

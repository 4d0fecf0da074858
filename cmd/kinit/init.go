package main

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine/shell"
)

// starter contains the files that init writes.
//
//go:embed starter
var starter embed.FS

func initCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "write a spec, an inventory and a playbook to start from",
		ArgsUsage: "[FOLDER]",
		Description: `The files are valid as they are, and work on this machine. Nothing is overwritten: if one of
the files exists already, none is written.`,
		UsageText: command.Examples("kinit init", "kinit init site && cd site && kinit plan site.hcl") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Action: func(c *cli.Context) error {
			if c.NArg() > 1 {
				return exit.Usagef(c.Command.HelpName, "it takes one FOLDER, %d were given", c.NArg())
			}
			return writeStarter(a, cmp.Or(c.Args().First(), "."))
		},
	}
}

func writeStarter(a *app.App, folder string) error {
	files := map[string][]byte{}
	var names, there []string
	err := fs.WalkDir(starter, "starter", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name := filepath.Join(folder, filepath.FromSlash(strings.TrimPrefix(path, "starter/")))
		names = append(names, name)
		if _, err := os.Lstat(a.Abs(name)); err == nil {
			there = append(there, name)
		}
		files[name], err = starter.ReadFile(path)
		return err
	})
	if err != nil {
		return fmt.Errorf("read the files to start from: %w", err)
	}
	if len(there) > 0 {
		return fmt.Errorf("nothing was written, because there exist already: %s", strings.Join(there, ", "))
	}
	for _, name := range names {
		if err := writeNew(a.Abs(name), files[name]); err != nil {
			return fmt.Errorf("write what to start from: %w", err)
		}
	}
	next := "kinit plan site.hcl"
	if folder != "." {
		next = "cd " + shell.POSIX(folder) + " && " + next
	}
	return a.Lines(strings.Join(names, "\n"), "", "Now: "+next)
}

// writeNew writes a file that must not exist yet, and creates the folders above it.
func writeNew(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	return errors.Join(err, file.Close())
}

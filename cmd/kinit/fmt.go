package main

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/textdiff"
)

// standardInput is the file name that means standard input.
const standardInput = "-"

func fmtCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "fmt",
		Usage:     "format HCL files",
		ArgsUsage: "[FILE|FOLDER...]",
		Description: `It prints the names of the files that were not formatted. In a folder it formats all files
named *.hcl, also in the folders below it, but no hidden folders and no templates
(*.tmpl.hcl). Without an argument it formats the working directory. For - it formats the
standard input and writes to the standard output.`,
		UsageText: command.Examples(
			"kinit fmt",
			"kinit fmt --check --diff specs inventory.hcl",
			"kinit fmt - < site.hcl",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Pending),
		Flags: []cli.Flag{
			command.HeadSelect.Switch("check", "change nothing; the exit code is 4 when a file is not formatted"),
			command.HeadOutput.Switch("diff", "show what changes"),
			&cli.BoolFlag{Name: "write", Category: string(command.HeadSelect), Value: true,
				Usage: "write files back; --write=false changes nothing, and the exit code is 0"},
			command.NoColorFlag(),
		},
		Action: func(c *cli.Context) error { return formatFiles(a, c) },
	}
}

// formatting is one use of fmt.
type formatting struct {
	*app.App
	check, diff, write bool
	pending, invalid   bool // what was found so far
}

func formatFiles(a *app.App, c *cli.Context) error {
	command.Colours(a, c)
	f := &formatting{App: a, check: c.Bool("check"), diff: c.Bool("diff"), write: c.Bool("write") && !c.Bool("check")}
	names := c.Args().Slice()
	if len(names) == 0 {
		names = []string{"."}
	}
	for _, name := range names {
		if err := f.path(name); err != nil {
			return fmt.Errorf("format: %w", err)
		}
	}
	switch {
	case f.invalid:
		return exit.Code(exit.Invalid)
	case f.pending && f.check:
		return exit.Code(exit.Pending)
	}
	return nil
}

// path formats a file, all files in a folder, or the standard input.
func (f *formatting) path(name string) error {
	if name == standardInput {
		return f.stdin()
	}
	info, err := os.Stat(f.Abs(name))
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return f.file(name)
	}
	return filepath.WalkDir(f.Abs(name), func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != f.Abs(name) && strings.HasPrefix(entry.Name(), "."):
			return filepath.SkipDir
		case !entry.Type().IsRegular() || !strings.HasSuffix(entry.Name(), ".hcl") || strings.HasSuffix(entry.Name(), ".tmpl.hcl"):
			return nil
		}
		relative, err := filepath.Rel(f.Abs(name), path)
		if err != nil {
			return err
		}
		return f.file(filepath.Join(name, relative))
	})
}

func (f *formatting) file(name string) error {
	before, err := os.ReadFile(f.Abs(name))
	if err != nil {
		return err
	}
	after, ok := f.formatted(name, before)
	if !ok || bytes.Equal(before, after) {
		return nil
	}
	f.pending = true
	if err := f.Lines(name); err != nil {
		return err
	}
	if f.diff {
		if err := f.Out.Diff(textdiff.Unified(name, before, after)); err != nil {
			return err
		}
	}
	if !f.write {
		return nil
	}
	return app.ReplaceFile(f.Abs(name), after, 0o644)
}

// stdin formats standard input to standard output, or shows the differences.
func (f *formatting) stdin() error {
	before, err := io.ReadAll(f.In)
	if err != nil {
		return err
	}
	after, ok := f.formatted("<stdin>", before)
	if !ok {
		return nil
	}
	f.pending = f.pending || !bytes.Equal(before, after)
	switch {
	case f.diff && !bytes.Equal(before, after):
		return f.Out.Diff(textdiff.Unified("<stdin>", before, after))
	case f.diff || f.check:
		return nil
	}
	_, err = f.Out.Write(after)
	return err
}

// formatted returns the formatted text. For a text with mistakes it shows them and
// changes nothing.
func (f *formatting) formatted(name string, text []byte) ([]byte, bool) {
	after, report := engine.Format(name, text)
	if report.Invalid {
		f.invalid = true
		f.Err.Problems(report.Diagnostics, report.Sources)
	}
	return after, !report.Invalid
}

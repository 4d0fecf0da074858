package ci

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/export"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
)

func exportCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write jobs for a scheduler that you have",
		ArgsUsage: "FILE",
		Description: `Each job with a schedule becomes what the scheduler reads; it starts 'kinit ci run' for that
job. GitHub knows UTC only, so jobs in other time zones are refused there; GitLab keeps
schedules in the project's settings, and the file says which ones to make.`,
		UsageText: command.Examples(
			"kinit ci export ci.hcl --as systemd --out /etc/systemd/system",
			"kinit ci export ci.hcl --as github --runner lab --out .",
			"kinit ci export ci.hcl --as kubernetes --image registry.example.org/kinit:v1 --file /ci/ci.hcl",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid),
		Flags: []cli.Flag{
			jobFlag(),
			&cli.StringFlag{Name: "as", Category: command.HeadOutput, Usage: "write it for `SCHEDULER`: systemd, cron, github, gitlab, kubernetes"},
			&cli.PathFlag{Name: "out", Aliases: []string{"o"}, Category: command.HeadOutput, Usage: "write files into `FOLDER`; else all of it to standard output"},
			&cli.PathFlag{Name: "file", Category: command.HeadInput, Usage: "the file of jobs is at `PATH` where the scheduler runs; else where it is"},
			&cli.PathFlag{Name: "program", Category: command.HeadInput, Usage: "kinit is at `PATH` where the scheduler runs; else where it is"},
			&cli.StringFlag{Name: "image", Category: command.HeadInput, Usage: "for kubernetes and gitlab: run in `IMAGE`, which has kinit in it"},
			&cli.StringFlag{Name: "runner", Category: command.HeadInput, Value: "kinit", Usage: "for github: run on self-hosted runners with `LABEL`; else kinit"},
			command.NoColorFlag(),
		},
		Action: func(c *cli.Context) error { return exportJobs(a, c) },
	}
}

func exportJobs(a *app.App, c *cli.Context) error {
	var names []string
	for _, as := range export.All() {
		names = append(names, string(as))
	}
	if err := command.Choice(c, "as", names...); err != nil {
		return err
	}
	file, list, err := readJobs(a, c)
	if err != nil {
		return err
	}
	o, err := exportOptions(a, c, file.Folder)
	if err != nil {
		return err
	}
	files, err := export.Files(export.As(c.String("as")), o, list)
	if err != nil {
		return err
	}
	return writeExports(a, c.Path("out"), files)
}

// exportOptions returns the paths as the scheduler's machine has them.
func exportOptions(a *app.App, c *cli.Context, folder string) (export.Options, error) {
	o := export.Options{Program: c.Path("program"), File: c.Path("file"), Image: c.String("image"), Runner: c.String("runner")}
	as := export.As(c.String("as"))
	local := as == export.Systemd || as == export.Cron
	if o.File == "" {
		o.File = c.Args().First()
		if local {
			o.File = filepath.Join(folder, filepath.Base(o.File))
		}
	}
	if o.Program != "" {
		return o, nil
	}
	o.Program = "kinit"
	if !local {
		return o, nil
	}
	program, err := os.Executable()
	if err != nil {
		return o, fmt.Errorf("find this program: %w; give --program", err)
	}
	o.Program = program
	return o, nil
}

// writeExports writes the files into a folder, or one after another to standard output.
func writeExports(a *app.App, folder string, files []export.File) error {
	if folder == "" {
		for i, f := range files {
			text := strings.TrimSuffix(f.Content, "\n")
			if len(files) > 1 {
				text = "# " + f.Name + "\n" + text
			}
			if i > 0 {
				text = "\n" + text
			}
			if err := a.Lines(text); err != nil {
				return err
			}
		}
		return nil
	}
	for _, f := range files {
		path := filepath.Join(a.Abs(folder), f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fmt.Errorf("write for the scheduler: %w", err)
		}
		if err := os.WriteFile(path, []byte(f.Content), 0o644); err != nil {
			return fmt.Errorf("write for the scheduler: %w", err)
		}
		if err := a.Lines(filepath.Join(folder, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

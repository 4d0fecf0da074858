package ci

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/export"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/engine/lists"
)

func exportCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "export",
		Usage:     "write jobs in the format of another scheduler",
		ArgsUsage: "FILE",
		Description: `The scheduler then starts 'kinit ci run' for each job that has a schedule. GitHub has UTC only,
so a job in another time zone is an error there. GitLab keeps schedules in the settings of the
project; the file lists those to make.`,
		UsageText: command.Examples(
			"kinit ci export ci.hcl --as systemd --out /etc/systemd/system",
			"kinit ci export ci.hcl --as github --runner lab --out .",
			"kinit ci export ci.hcl --as kubernetes --image registry.example.org/kinit:v1 --file /ci/ci.hcl",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid),
		Flags: []cli.Flag{
			jobFlag(),
			command.HeadOutput.Text("as", "write it for `SCHEDULER`: systemd, cron, github, gitlab, kubernetes"),
			command.HeadOutput.Text("out", "write files into `FOLDER`; default: all to standard output", "o"),
			command.HeadInput.Text("file", "the file of jobs is at `PATH` where the scheduler runs; default: as here"),
			command.HeadInput.Text("program", "kinit is at `PATH` where the scheduler runs; default: as here"),
			command.HeadInput.Text("image", "for kubernetes and gitlab: run in `IMAGE`, which contains kinit"),
			command.HeadInput.TextOr("runner", "kinit", "for github: run on self-hosted runners with `LABEL`; default: kinit"),
			command.NoColorFlag(),
		},
		Action: func(c *cli.Context) error { return exportJobs(a, c) },
	}
}

func exportJobs(a *app.App, c *cli.Context) error {
	names := lists.Map(export.All(), func(as export.As) string { return string(as) })
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
	return writeExports(a, c.String("out"), files)
}

// exportOptions returns the paths as the scheduler's machine has them.
func exportOptions(a *app.App, c *cli.Context, folder string) (export.Options, error) {
	o := export.Options{Program: c.String("program"), File: c.String("file"), Image: c.String("image"), Runner: c.String("runner")}
	as := export.As(c.String("as"))
	local := as == export.Systemd || as == export.Cron
	if o.File == "" {
		o.File = c.Args().First()
		if local {
			o.File = filepath.Join(folder, filepath.Base(o.File))
		}
	}
	if o.Program != "" || !local {
		o.Program = cmp.Or(o.Program, "kinit")
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
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		if err == nil {
			err = os.WriteFile(path, []byte(f.Content), 0o644)
		}
		if err != nil {
			return fmt.Errorf("write for the scheduler: %w", err)
		}
		if err := a.Lines(filepath.Join(folder, f.Name)); err != nil {
			return err
		}
	}
	return nil
}

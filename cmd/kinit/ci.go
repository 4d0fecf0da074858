package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/ci/cycle"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/site"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
	"kinit/engine/shell"
)

func (w *world) ciCommand() *cli.Command {
	return manual{
		path:     "ci",
		examples: []string{"kinit ci run ci.hcl", "kinit ci site results/ public/"},
	}.write(&cli.Command{
		Name:      "ci",
		Usage:     "try specs periodically, and show on a site whether they work",
		ArgsUsage: "COMMAND",
		Description: `A file of jobs names specs, hosts and times. A job deploys its spec, runs it again, when
nothing may change, verifies it, and removes all of it, whatever happened.`,
		Subcommands: []*cli.Command{w.ciRun(), w.ciServe(), w.ciSite(), w.ciExport()},
		Action:      cli.ShowSubcommandHelp,
	})
}

// ciFile reads the file of jobs that is the only argument, and shows its mistakes.
func (w *world) ciFile(c *cli.Context) (*jobs.File, error) {
	if c.NArg() != 1 {
		return nil, usageErrorf(c.Command.HelpName, "it takes one FILE of jobs, %d were given", c.NArg())
	}
	w.colours(c)
	path := w.abs(c.Args().First())
	file, sources, diags := jobs.Load(path, c.Args().First())
	if len(diags) > 0 {
		width := 0
		if w.err.Size != nil {
			width, _ = w.err.Size()
		}
		if _, err := io.WriteString(w.err, view.Diagnostics(diags, sources, w.err.Colour, width)); err != nil {
			return nil, err
		}
	}
	if diags.HasErrors() {
		return nil, codeError(exitInvalid)
	}
	if file.Results == "" {
		file.Results = filepath.Join(w.stateFolder(), "ci")
	}
	return file, nil
}

// ciJobs reads the file of jobs, applies the flags to it, and returns the jobs that --job
// names.
func (w *world) ciJobs(c *cli.Context) (*jobs.File, []jobs.Job, error) {
	file, err := w.ciFile(c)
	if err != nil {
		return nil, nil, err
	}
	for flag, folder := range map[string]*string{"results": &file.Results, "site": &file.Site} {
		if given := c.Path(flag); given != "" {
			*folder = w.abs(given)
		}
	}
	list, err := chosen(c, file)
	return file, list, err
}

// chosen returns the jobs that --job names, or all without it.
func chosen(c *cli.Context, file *jobs.File) ([]jobs.Job, error) {
	names := list(c, "job")
	if len(names) == 0 {
		return file.Jobs, nil
	}
	var out []jobs.Job
	for _, name := range names {
		j := file.Find(name)
		if j == nil {
			return nil, usageErrorf(c.Command.HelpName, "%s has no job %q.%s", file.Path, name, diag.Near(name, file.Names()))
		}
		out = append(out, *j)
	}
	return slices.CompactFunc(out, func(a, b jobs.Job) bool { return a.Name == b.Name }), nil
}

func jobFlag() cli.Flag {
	return &cli.StringSliceFlag{Name: "job", Category: headSelect, Usage: "take only `JOBS`: names with commas between; all when left out"}
}

func ciFolderFlags() []cli.Flag {
	return []cli.Flag{
		&cli.PathFlag{Name: "results", Category: headOutput, Usage: "keep results in `FOLDER`; else where the file says, or kinit's own"},
		&cli.PathFlag{Name: "site", Category: headOutput, Usage: "render the site into `FOLDER` after each job; else where the file says"},
	}
}

// ciRunner returns the runner of a file's jobs. If adopts is set, it also works on objects
// that other controllers made.
func (w *world) ciRunner(file *jobs.File, tell *ciScreen, adopts bool) *cycle.Runner {
	return &cycle.Runner{
		Results: file.Results, Keep: file.Keep, Program: w.version, Now: w.now, Tell: tell,
		Rerun:  func(j jobs.Job) string { return shell.POSIX("kinit", "ci", "run", file.Path, "--job", j.Name) },
		Commit: func(ctx context.Context, _ jobs.Job) string { return commitOf(ctx, file.Folder) },
		Options: func(j jobs.Job) (engine.Options, error) {
			o, err := w.jobOptions(file, j)
			o.Adopt = adopts
			return o, err
		},
		Hosts: hostsOf, Order: stagesOf,
		Do: func(ctx context.Context, work cycle.Work) cycle.Outcome { return w.jobPhase(ctx, work, tell) },
	}
}

// jobOptions returns the engine's options for a job. Relative paths start at the file of
// jobs, so that a job does the same from every working directory.
func (w *world) jobOptions(file *jobs.File, j jobs.Job) (engine.Options, error) {
	there := *w
	there.cwd = file.Folder
	o := there.baseOptions(j.Spec)
	o.Hosts, o.Vars, o.VarFiles = j.Hosts, j.Variables, j.VariableFiles
	var err error
	o.Inventories, o.Reserved, err = there.inventoryFiles(j.Inventories)
	return o, err
}

// jobPhase uses the engine once for a job, with a separate log.
func (w *world) jobPhase(ctx context.Context, work cycle.Work, tell *ciScreen) cycle.Outcome {
	do, o := w.engine.run, work.Options
	if work.Check {
		do = w.engine.plan
	}
	notice := func(text string) { tell.Notice(work.Job, text) }
	log := w.newLog("kinit ci run", work.Check, o, notice)
	redactor := observe(&o, tell.sink(work.Job), log)
	report := view.RedactReport(do(ctx, o), redactor.Redact)
	code := codeOf(report, false)
	out := cycle.Outcome{OK: code == exitOK, Report: report, Redact: redactor.Redact}
	if log != nil {
		out.Log = log.Path()
		if err := log.Close(view.NewSummary(o.Spec, report, code)); err != nil {
			notice("the log of this run is not complete: " + err.Error())
		}
	}
	return out
}

// hostsOf returns the addresses of the machines that a job works on: two names can mean
// the same machine.
func hostsOf(ctx context.Context, o engine.Options) []string {
	inventory, report := engine.ReadInventory(ctx, o)
	if report.Invalid {
		return nil
	}
	var hosts []string
	for _, h := range inventory.Hosts {
		if h.Address == "" || h.Transport == "local" {
			hosts = append(hosts, h.Name)
			continue
		}
		hosts = append(hosts, h.Address)
	}
	return hosts
}

// stagesOf returns the stages of a playbook, without touching a host.
func stagesOf(ctx context.Context, o engine.Options) ([]string, *engine.Report) {
	graph, report := engine.Order(ctx, o)
	if graph == nil {
		return nil, report
	}
	var stages []string
	for _, s := range graph.Stages {
		stages = append(stages, s.Name)
	}
	return stages, report
}

// commitOf returns the commit of a folder, with "-dirty" if files differ from it; empty
// outside a repository.
func commitOf(ctx context.Context, folder string) string {
	out, err := exec.CommandContext(ctx, "git", "-C", folder, "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}

// renderSite renders the site of a file of jobs, if it has one.
func (w *world) renderSite(file *jobs.File) (*site.Report, error) {
	if file.Site == "" {
		return &site.Report{}, nil
	}
	if err := os.MkdirAll(file.Results, 0o700); err != nil {
		return nil, err
	}
	return site.Write(site.Options{Results: file.Results, Out: file.Site, Title: file.Title, BaseURL: file.BaseURL, Program: w.version, Now: w.now()})
}

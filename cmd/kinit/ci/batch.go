package ci

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/ci/jobs"
	"kinit/cmd/kinit/ci/runner"
	"kinit/cmd/kinit/ci/site"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/lists"
	"kinit/engine/secret"
	"kinit/engine/shell"
)

// batch runs jobs of a file, between begin and end. It renders the site after each job.
type batch struct {
	app    *app.App
	file   *jobs.File
	screen *screen
	runner *runner.Runner
	stop   func()     // no longer catches signals
	one    sync.Mutex // the site is rendered once at a time
}

// stopping is the notice at the first signal.
const stopping = "stopping: jobs are being ended and what they deployed is removed; press again to leave at once"

// settings are what the flags and the environment give to all jobs.
type settings struct {
	adopt     bool
	passwords engine.Passwords
	vault     []engine.VaultIdentity
}

// given returns the settings, and asks for the passwords that are wanted.
func given(a *app.App, c *cli.Context) (settings, error) {
	s := settings{adopt: c.Bool("adopt")}
	var err error
	if s.passwords, err = command.Passwords(a, c); err != nil {
		return s, err
	}
	s.vault, err = command.VaultIdentities(a, c)
	return s, err
}

// begin prepares a run of jobs, with a context that signals cancel.
func begin(a *app.App, c *cli.Context, file *jobs.File, with settings) (context.Context, *batch) {
	s := &batch{app: a, file: file, screen: newScreen(a, c.String("output") == command.OutputJSON)}
	s.screen.after = s.renderSite
	s.runner = newRunner(a, file, s.screen, with)
	ctx, stop := a.Interruptible(c.Context, stopping, s.screen.say)
	s.stop = stop
	s.screen.start()
	return ctx, s
}

func (s *batch) end() {
	s.screen.end()
	s.stop()
}

// renderSite renders the site of the file, if it has one.
func (s *batch) renderSite() {
	if s.file.Site == "" {
		return
	}
	s.one.Lock()
	defer s.one.Unlock()
	report := &site.Report{}
	err := os.MkdirAll(s.file.Results, 0o700)
	if err == nil {
		report, err = site.Write(site.Options{
			Results: s.file.Results, Out: s.file.Site, Title: s.file.Title, BaseURL: s.file.BaseURL,
			Program: s.app.Version, Now: s.app.Now(),
		})
	}
	if err != nil {
		s.screen.say("the site could not be written: " + err.Error())
		return
	}
	for _, what := range report.Withheld {
		s.screen.say("not published: " + what)
	}
}

// newRunner returns the runner of a file's jobs.
func newRunner(a *app.App, file *jobs.File, s *screen, with settings) *runner.Runner {
	return &runner.Runner{
		Results: file.Results, Keep: file.Keep, Program: a.Version, Now: a.Now, Progress: s,
		Rerun:  func(j jobs.Job) string { return shell.POSIX("kinit", "ci", "run", file.Path, "--job", j.Name) },
		Commit: func(ctx context.Context, _ jobs.Job) string { return commitOf(ctx, file.Folder) },
		Options: func(j jobs.Job) (engine.Options, error) {
			o, err := options(a, file, j)
			o.Adopt, o.Passwords, o.Vault = with.adopt, with.passwords, with.vault
			return o, err
		},
		Hosts: hostsOf, Order: stagesOf,
		Do: func(ctx context.Context, work runner.Work) runner.Outcome { return runPhase(ctx, a, work, s) },
	}
}

// options returns the engine's options for a job. Relative paths start at the file of
// jobs, so that a job does the same from every working directory.
func options(a *app.App, file *jobs.File, j jobs.Job) (engine.Options, error) {
	there := *a
	there.Cwd = file.Folder
	o := there.BaseOptions(j.Spec)
	o.Hosts, o.Vars, o.VarFiles, o.Set = j.Hosts, j.Variables, j.VariableFiles, j.Set
	// A job runs again when what it names is gone, and its second phase, too.
	o.Remove, o.Continues = j.Remove, len(j.Remove) > 0
	o.NamesRemovals = func(names []string) string {
		return fmt.Sprintf("set remove = %s in job %q of %s", list(append(slices.Clone(j.Remove), names...)), j.Name, file.Path)
	}
	var err error
	o.Inventories, o.Reserved, err = there.InventoryFiles(j.Inventories)
	return o, err
}

// runPhase uses the engine once for a job, with a separate log.
func runPhase(ctx context.Context, a *app.App, work runner.Work, s *screen) runner.Outcome {
	do := a.Engine.Run
	if work.Check {
		do = a.Engine.Plan
	}
	notice := func(text string) { s.Notice(work.Job, text) }
	log := command.NewLog(a, "kinit ci run", work.Check, work.Options, notice)
	r := command.NewRecording(work.Options, log, sink{s, work.Job.Name}, notice)
	report, code := r.Close(do(ctx, r.Options), false)
	out := runner.Outcome{OK: code == exit.OK, Report: report, Redact: r.Redact}
	if log != nil {
		out.Log = log.Path()
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

// stagesOf returns the stages of a playbook, without touching a host. Secrets are masked in the
// report, which is kept and published.
func stagesOf(ctx context.Context, o engine.Options) ([]string, *engine.Report) {
	o.Redactor = &secret.Redactor{}
	graph, report := engine.Order(ctx, o)
	report = view.RedactReport(report, o.Redactor.Redact)
	if graph == nil {
		return nil, report
	}
	return lists.Map(graph.Stages, func(s engine.GraphStage) string { return s.Name }), report
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

// list returns names as a list in HCL.
func list(names []string) string {
	return "[" + strings.Join(lists.Map(names, strconv.Quote), ", ") + "]"
}

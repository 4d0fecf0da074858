package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/secret"
)

// job is one use of the engine by a command.
type job struct {
	do          action
	mode        view.Mode
	logged      bool // keeps a log: it changes hosts
	diff        bool // shows diffs without being asked to
	step        bool // asks before tasks; the view is text on a terminal
	unnamed     bool // shows which hosts of the inventory it changes, since the command line names none
	pendingTold bool // pending changes make an exit code, though the view shows no plan
	pendingIsOK bool // pending changes are no reason for an exit code
}

// perform runs the job with a view and returns the error that the program ends with.
func (w *world) perform(c *cli.Context, j job, o engine.Options) error {
	screen, err := w.view(c, j, o.Spec)
	if err != nil {
		return err
	}
	redactor := &secret.Redactor{}
	if c.Bool("verbose") {
		screen.Notice("inventories: " + orNone(o.Inventories))
	}
	do := j.do
	if text, ok := screen.(*view.Text); ok && j.step {
		do = stepwise(do, text)
	}
	log := w.startLog(c, j, o, screen)
	report := watched(o, redactor, sinks(screen, log), func(o engine.Options) *engine.Report {
		return w.interruptibly(c, do, o, screen)
	})
	code := codeOf(report, j)
	if log != nil {
		if err := log.Close(view.NewSummary(o.Spec, report, code)); err != nil {
			screen.Notice("the log of this run is not complete: " + err.Error())
		}
	}
	if j.logged {
		w.writeReports(c, log, screen)
	}
	screen.Close(report, code)
	if code == exitOK {
		return nil
	}
	return codeError(code)
}

// interruptibly calls the engine with a context that signals cancel.
func (w *world) interruptibly(c *cli.Context, do action, o engine.Options, screen view.View) *engine.Report {
	incoming, restore := w.signals()
	defer restore()
	notice := func() { screen.Notice(stopping) }
	leave := func() {
		within(patience, func() { screen.Notice(leaving) })
		w.leave(exitInterrupted)
	}
	ctx, stop := interruptible(c.Context, incoming, notice, leave)
	defer stop()
	return do(ctx, o)
}

// watched calls the engine while sinks receive its events, and returns its report. Secrets
// are masked in both.
func watched(o engine.Options, redactor *secret.Redactor, to event.Sink, call func(engine.Options) *engine.Report) *engine.Report {
	o.Redactor = redactor
	o.Events = view.Redacted{Next: to, Redact: redactor.Redact}
	return view.RedactReport(call(o), redactor.Redact)
}

// sinks returns the screen and the log, if there is one.
func sinks(screen event.Sink, log *runlog.Log) view.Fan {
	if log == nil {
		return view.Fan{screen}
	}
	return view.Fan{screen, log}
}

// startLog starts the run's log if the job keeps one.
func (w *world) startLog(c *cli.Context, j job, o engine.Options, screen view.View) *runlog.Log {
	if !j.logged {
		return nil
	}
	log := w.newLog(c.Command.HelpName, j.mode == view.Plan, o, screen.Notice)
	if log != nil && c.Bool("verbose") {
		screen.Notice("log: " + log.Path())
	}
	return log
}

// newLog starts the log of a use of the engine. A run must not fail without one.
func (w *world) newLog(command string, check bool, o engine.Options, notice func(string)) *runlog.Log {
	log, err := runlog.Create(w.runsFolder(), runlog.Header{
		Program: programVersion(), Command: command, Check: check, Spec: o.Spec, Started: w.now(),
		Hosts: o.Hosts, Variables: slices.Sorted(maps.Keys(o.Vars)),
	})
	if err != nil {
		notice("there is no log of this run: " + err.Error())
		return nil
	}
	if _, err := runlog.Prune(w.runsFolder(), runlog.Kept(), w.now()); err != nil {
		notice("logs of old runs are left: " + err.Error())
	}
	return log
}

// view returns the view that the flags select.
func (w *world) view(c *cli.Context, j job, spec string) (view.View, error) {
	if err := choice(c, "output", outputText, outputJSON, outputQuiet); err != nil {
		return nil, err
	}
	if c.Bool("diff") && c.Bool("no-diff") {
		return nil, usageErrorf(c.Command.HelpName, "give --diff or --no-diff, not both")
	}
	w.colours(c)
	if c.String("output") == outputJSON {
		return view.NewJSON(spec, w.out, w.err), nil
	}
	return view.NewText(view.Options{
		Out: w.out, Err: w.err, Mode: j.mode, Spec: spec, Now: w.now,
		Verbose: c.Bool("verbose"), Trace: c.Count("verbose") > 1,
		Diff:  !c.Bool("no-diff") && (c.Bool("verbose") || c.Bool("diff") || j.diff),
		Quiet: c.String("output") == outputQuiet, Unnamed: j.unnamed,
	}), nil
}

func orNone(files []string) string {
	if len(files) == 0 {
		return "none"
	}
	return strings.Join(files, ", ")
}

var _ event.Sink = (*runlog.Log)(nil)

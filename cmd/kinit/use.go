package main

import (
	"context"
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

// shows is how a command shows what the engine does, and whether that is kept.
type shows struct {
	mode         view.Mode
	logged       bool // keeps a log: it changes hosts
	diff         bool // shows diffs without being asked to
	unnamed      bool // shows which hosts of the inventory it changes, since the command line names none
	pendingFails bool // pending changes are a reason for an exit code
}

// use is one use of the engine by a command, between begin and end.
type use struct {
	shows
	options  engine.Options // as they are given to the engine
	screen   view.View
	world    *world
	line     *cli.Context
	log      *runlog.Log // nil if none is kept
	redactor *secret.Redactor
	stop     func() // no longer catches signals
}

// onSpec prepares a use of the engine for a command whose only argument is a spec.
func (w *world) onSpec(c *cli.Context, s shows) (context.Context, *use, error) {
	o, err := w.specOptions(c)
	if err != nil {
		return nil, nil, err
	}
	return w.begin(c, o, s)
}

// begin prepares a use of the engine: where its events go, and a context that signals
// cancel.
func (w *world) begin(c *cli.Context, o engine.Options, s shows) (context.Context, *use, error) {
	screen, err := w.newView(c, s, o.Spec)
	if err != nil {
		return nil, nil, err
	}
	if c.Bool("verbose") {
		screen.Notice("inventories: " + orNone(o.Inventories))
	}
	u := &use{shows: s, options: o, screen: screen, world: w, line: c}
	if s.logged {
		u.log = w.newLog(c.Command.HelpName, s.mode == view.Plan, o, screen.Notice)
		if u.log != nil && c.Bool("verbose") {
			screen.Notice("log: " + u.log.Path())
		}
	}
	u.redactor = observe(&u.options, screen, u.log)
	if s.mode == view.Read || s.mode == view.Validate {
		u.options.Reserved = nil // commands that only read a lab's cluster need no named hosts
	}
	if s.mode == view.Read {
		u.options.Events = nil // what is read is shown, not how
	}
	ctx, stop := w.interruptible(c.Context, stopping, screen.Notice)
	u.stop = stop
	return ctx, u, nil
}

// end shows the engine's report, closes the log, and returns the error that the program
// ends with.
func (u *use) end(report *engine.Report) error {
	report = u.masked(report)
	code := codeOf(report, u.pendingFails)
	if u.log != nil {
		if err := u.log.Close(view.NewSummary(u.options.Spec, report, code)); err != nil {
			u.screen.Notice("the log of this run is not complete: " + err.Error())
		}
	}
	if u.logged {
		u.world.writeReports(u.line, u.log, u.screen)
	}
	u.screen.Close(report, code)
	return ending(code)
}

// masked no longer catches signals, and returns the report with secrets masked.
func (u *use) masked(report *engine.Report) *engine.Report {
	u.stop()
	return view.RedactReport(report, u.redactor.Redact)
}

// observe makes an engine's events go to a screen and to a log, if there is one, with
// secrets masked.
func observe(o *engine.Options, screen event.Sink, log *runlog.Log) *secret.Redactor {
	to := view.Fan{screen}
	if log != nil {
		to = append(to, log)
	}
	redactor := &secret.Redactor{}
	o.Redactor, o.Events = redactor, view.Redacted{Next: to, Redact: redactor.Redact}
	return redactor
}

// newLog starts the log of a use of the engine. A run must not fail without one.
func (w *world) newLog(command string, check bool, o engine.Options, notice func(string)) *runlog.Log {
	log, err := runlog.Create(w.runsFolder(), runlog.Header{
		Program: w.version, Command: command, Check: check, Spec: o.Spec, Started: w.now(),
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

// newView returns the view that the flags select.
func (w *world) newView(c *cli.Context, s shows, spec string) (view.View, error) {
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
		Out: w.out, Err: w.err, Mode: s.mode, Spec: spec, Now: w.now,
		Verbose: c.Bool("verbose"), Trace: c.Count("verbose") > 1,
		Diff:  !c.Bool("no-diff") && (c.Bool("verbose") || c.Bool("diff") || s.diff),
		Quiet: c.String("output") == outputQuiet, Unnamed: s.unnamed,
	}), nil
}

func orNone(files []string) string {
	if len(files) == 0 {
		return "none"
	}
	return strings.Join(files, ", ")
}

var _ event.Sink = (*runlog.Log)(nil)

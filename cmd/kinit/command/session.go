package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/junit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/report"
	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/secret"
)

// Mode is how a command shows what the engine does, and whether that is kept.
type Mode struct {
	View         view.Mode
	Logged       bool   // keeps a log: it changes hosts
	Diff         bool   // shows diffs without being asked to
	Unnamed      bool   // shows which hosts of the inventory it changes, since the command line names none
	Values       bool   // shows the values that tasks return without being asked to
	PendingFails bool   // pending changes are a reason for an exit code
	Part         string // names the reports of a run that others follow, if it goes well
}

// RunMode is the mode of a command that changes the hosts of a spec.
func RunMode(c *cli.Context) Mode {
	return Mode{View: view.Run, Logged: true, Unnamed: !c.IsSet("hosts")}
}

// Session is one use of the engine by a command, between Begin and End.
type Session struct {
	*Recording
	Screen view.View
	mode   Mode
	app    *app.App
	line   *cli.Context
	stop   func() // no longer catches signals
}

// OnSpec prepares a use of the engine for a command whose only argument is a spec.
func OnSpec(a *app.App, c *cli.Context, m Mode) (context.Context, *Session, error) {
	o, err := SpecOptions(a, c)
	if err != nil {
		return nil, nil, err
	}
	return Begin(a, c, o, m)
}

// Begin prepares a use of the engine: where its events go, and a context that signals
// cancel.
func Begin(a *app.App, c *cli.Context, o engine.Options, m Mode) (context.Context, *Session, error) {
	if err := CheckReports(a, c); err != nil {
		return nil, nil, err
	}
	screen, err := newView(a, c, m, o.Spec)
	if err != nil {
		return nil, nil, err
	}
	if c.Bool("verbose") {
		screen.Notice("inventories: " + cmp.Or(strings.Join(o.Inventories, ", "), "none"))
	}
	var log *runlog.Log
	if m.Logged {
		log = NewLog(a, c.Command.HelpName, m.View == view.Plan, o, screen.Notice)
	}
	if log != nil && c.Bool("verbose") {
		screen.Notice("log: " + log.Path())
	}
	s := &Session{Recording: NewRecording(o, log, screen, screen.Notice), Screen: screen, mode: m, app: a, line: c}
	if m.View == view.Read || m.View == view.Validate {
		s.Options.Reserved = nil // commands that only read a lab's cluster need no named hosts
	}
	if m.View == view.Read {
		s.Options.Events = nil // what is read is shown, not how
	}
	if text, ok := screen.(*view.Text); ok && m.View == view.Run && a.Err.Size != nil {
		s.Options.ConfirmRemovals = confirmRemovals(text)
	}
	if text, ok := screen.(*view.Text); ok && a.Err.Size != nil && has(c, loginPassword.ask) {
		s.Options.Ask = prompter(text, s.Options.Redactor)
	}
	ctx, stop := a.Interruptible(c.Context, app.Stopping, screen.Notice)
	s.stop = stop
	return ctx, s, nil
}

// Use is one use of the engine from Begin to End.
func Use(a *app.App, c *cli.Context, o engine.Options, m Mode, do app.Action) error {
	ctx, s, err := Begin(a, c, o, m)
	if err != nil {
		return err
	}
	return s.End(do(ctx, s.Options))
}

// CloseRecording no longer catches signals, and closes the recording. It returns the report with
// secrets masked, and its exit code, for a command that shows them itself.
func (s *Session) CloseRecording(report *engine.Report) (*engine.Report, int) {
	s.stop()
	return s.Close(report, s.mode.PendingFails)
}

// Part says which part of the command this run is, which is in the names of its reports. A caller that
// learns from the result that another run follows sets it before End.
func (s *Session) Part(name string) { s.mode.Part = name }

// End closes the recording and shows the report, and returns the error that the program ends
// with.
func (s *Session) End(report *engine.Report) error {
	report, code := s.CloseRecording(report)
	if s.mode.Logged {
		part := s.mode.Part
		if code != exit.OK {
			part = "" // no other run follows
		}
		writeReports(s.app, s.line, s.log, s.Screen, part)
	}
	s.Screen.Close(report, code)
	return exit.Error(code)
}

// Recording sends the events of a use of the engine to the screen and, if there is one, to its log. Secrets
// are masked in both.
type Recording struct {
	Options engine.Options // as they are given to the engine
	Redact  func(string) string
	log     *runlog.Log
	notice  func(string)
}

// NewRecording makes the engine's events go to a screen and a log.
func NewRecording(o engine.Options, log *runlog.Log, screen event.Sink, notice func(string)) *Recording {
	to := view.Fan{screen}
	if log != nil {
		to = append(to, log)
	}
	o.Redactor = &secret.Redactor{}
	o.Events = view.Redacted{Next: to, Redact: o.Redactor.Redact}
	return &Recording{Options: o, Redact: o.Redactor.Redact, log: log, notice: notice}
}

// Close closes the log, and returns the report with secrets masked and its exit code.
func (r *Recording) Close(report *engine.Report, pendingFails bool) (*engine.Report, int) {
	report = view.RedactReport(report, r.Redact)
	code := exit.Of(report, pendingFails)
	if r.log != nil {
		if err := r.log.Close(view.NewSummary(r.Options.Spec, report, code)); err != nil {
			r.notice("the log of this run is not complete: " + err.Error())
		}
	}
	return report, code
}

// NewLog starts the log of a use of the engine. A run must not fail without one.
func NewLog(a *app.App, command string, check bool, o engine.Options, notice func(string)) *runlog.Log {
	log, err := runlog.Create(a.RunsFolder(), runlog.Header{
		Program: a.Version, Command: command, Check: check, Spec: o.Spec, Started: a.Now(),
		Hosts: o.Hosts, Variables: slices.Sorted(maps.Keys(o.Vars)),
	})
	if err != nil {
		notice("there is no log of this run: " + err.Error())
		return nil
	}
	if _, err := runlog.Prune(a.RunsFolder(), runlog.Kept(), a.Now()); err != nil {
		notice("logs of old runs are left: " + err.Error())
	}
	return log
}

func newView(a *app.App, c *cli.Context, m Mode, spec string) (view.View, error) {
	if c.Bool("diff") && c.Bool("no-diff") {
		return nil, exit.Usagef(c.Command.HelpName, "give --diff or --no-diff, not both")
	}
	Colours(a, c)
	if c.String("output") == OutputJSON {
		return view.NewJSON(spec, a.Out, a.Err), nil
	}
	return view.NewText(view.Options{
		Out: a.Out, Err: a.Err, Mode: m.View, Spec: spec, Now: a.Now,
		Verbose: c.Bool("verbose"), Trace: c.Count("verbose") > 1,
		Diff:  !c.Bool("no-diff") && (c.Bool("verbose") || c.Bool("diff") || m.Diff),
		Quiet: c.String("output") == OutputQuiet, Unnamed: m.Unnamed, Values: m.Values,
	}), nil
}

var _ event.Sink = (*runlog.Log)(nil)

// ReportFlags request files that are made from the run's log after the run.
func ReportFlags() []cli.Flag {
	return []cli.Flag{
		HeadOutput.Text("junit", "write JUnit XML for CI to `FILE`"),
		HeadOutput.Text("report", "write a self-contained HTML report to `FILE`"),
	}
}

// HTMLFormat is the format of reports.
func HTMLFormat() app.Format {
	return app.Format{Name: "an HTML report of kinit's", Start: report.Start}
}

// JUnitFormat is the format of JUnit XML.
func JUnitFormat() app.Format { return app.Format{Name: "JUnit XML of kinit's", Start: junit.Start} }

// CheckReports finds, before the run, reports that cannot be written: their folder is missing, or a file of
// another kind is there.
func CheckReports(a *app.App, c *cli.Context) error {
	formats := map[string]app.Format{"junit": JUnitFormat(), "report": HTMLFormat()}
	for _, flag := range slices.Sorted(maps.Keys(formats)) {
		file, format := c.String(flag), formats[flag]
		if file == "" || file == app.StandardOutput {
			continue
		}
		folder := filepath.Dir(a.Abs(file))
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			return exit.Usagef(c.Command.HelpName, "--%s names a file in the folder %s, which does not exist: make it first", flag, folder)
		}
		if info, err := os.Stat(a.Abs(file)); err == nil && info.IsDir() {
			return exit.Usagef(c.Command.HelpName, "--%s names the folder %s, want a file", flag, file)
		}
		if err := format.Replaceable(a.Abs(file)); errors.Is(err, app.ErrForeign) {
			return exit.Usagef(c.Command.HelpName, "--%s names a file that exists and is not %s: %s. Remove the file, or name another one.", flag, format.Name, file)
		}
	}
	return nil
}

// partOf returns the file of a part of a command's reports beside the file that a flag names, as
// junit.leave.xml beside junit.xml. Standard output has the last part alone.
func partOf(file, part string) string {
	switch {
	case part == "" || file == "":
		return file
	case file == app.StandardOutput:
		return ""
	}
	ending := filepath.Ext(file)
	return strings.TrimSuffix(file, ending) + "." + part + ending
}

// writeReports writes the files that the flags of a run request. The run is over, so a
// failure to write one does not change its exit code.
func writeReports(a *app.App, c *cli.Context, log *runlog.Log, screen view.View, part string) {
	for _, r := range []struct {
		flag   string
		format app.Format
		write  func(io.Writer, *replay.Run) error
	}{{"junit", JUnitFormat(), junit.Write}, {"report", HTMLFormat(), report.Write}} {
		file := partOf(c.String(r.flag), part)
		if file == "" {
			continue
		}
		var read *runlog.Run
		err := errors.New("it is made of the log of the run, and there is none")
		if log != nil {
			read, err = runlog.Read(log.Path())
		}
		if err == nil {
			err = a.WriteFile(file, r.format, func(to io.Writer) error { return r.write(to, replay.Of(read)) })
		}
		if err != nil {
			screen.Notice(fmt.Sprintf("there is no %s: %v", file, err))
		}
	}
}

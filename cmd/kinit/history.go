package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
)

func historyCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "history",
		Usage:     "list the runs whose logs are kept",
		ArgsUsage: "[SPEC]",
		Description: fmt.Sprintf(`The newest run comes first. The last %d runs are kept, for %d days at most.`,
			runlog.Kept().Runs, int(runlog.Kept().Age.Hours()/24)),
		UsageText: command.Examples("kinit history", "kinit history site.hcl --limit 5", "kinit history --output json") +
			command.ExitCodes(exit.OK, exit.Failed, exit.Usage),
		Flags: []cli.Flag{
			command.HeadOutput.Number("limit", "show only the newest `N` runs; default: all", 0),
			command.OutputFlag("text, json (a run per line)"),
		},
		Action: func(c *cli.Context) error { return showHistory(a, c) },
	}
}

// entry is a run in the history. Durations are in nanoseconds, as in events.
type entry struct {
	Run      string               `json:"run"`
	Started  time.Time            `json:"started"`
	Spec     string               `json:"spec"`
	Command  string               `json:"command"`
	Verdict  replay.Verdict       `json:"verdict"`
	ExitCode int                  `json:"exit_code"` // -1 when the run did not come to its end
	Duration time.Duration        `json:"duration"`
	Counts   map[event.Status]int `json:"counts"` // of tasks
	Program  string               `json:"program"`
	Error    string               `json:"error,omitempty"` // why the log cannot be read
}

func showHistory(a *app.App, c *cli.Context) error {
	if c.NArg() > 1 {
		return exit.Usagef(c.Command.HelpName, "it takes one SPEC, %d were given", c.NArg())
	}
	if c.IsSet("limit") && c.Int("limit") < 1 {
		return exit.Usagef(c.Command.HelpName, "--limit must be at least 1, %d was given", c.Int("limit"))
	}
	runs, err := runlog.List(a.RunsFolder())
	if err != nil {
		return err
	}
	var entries []entry
	for _, run := range runs {
		if full := c.IsSet("limit") && len(entries) == c.Int("limit"); !full && of(run, c.Args().First()) {
			entries = append(entries, entryOf(run))
		}
	}
	if c.String("output") == command.OutputText {
		return a.Lines(historyLines(entries)...)
	}
	for _, e := range entries {
		if err := a.JSONLine(e); err != nil {
			return err
		}
	}
	return nil
}

// of reports whether a run used a spec, given by its path or name; "" matches every run.
func of(run *runlog.Run, spec string) bool {
	bare := func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".hcl") }
	return spec == "" || bare(run.Header.Spec) == bare(spec)
}

func entryOf(log *runlog.Run) entry {
	if log.Err != nil {
		return entry{Run: log.ID, Started: log.Header.Started, Verdict: replay.Unreadable, ExitCode: -1, Error: log.Err.Error(), Counts: map[event.Status]int{}}
	}
	run := replay.Of(log)
	e := entry{Run: run.ID, Started: run.Header.Started, Spec: run.Header.Spec, Command: run.Header.Command, Program: run.Header.Program,
		Verdict: run.Verdict, ExitCode: run.ExitCode, Duration: run.Duration(), Counts: run.Counts}
	if log.Summary != nil {
		e.Counts = log.Summary.Counts
	}
	return e
}

// historyLines returns the history as a table, or a sentence if it is empty.
func historyLines(entries []entry) []string {
	if len(entries) == 0 {
		return []string{"No run was kept."}
	}
	name := len("RUN")
	for _, e := range entries {
		name = max(name, len(e.Run))
	}
	lines := []string{fmt.Sprintf("%-*s  %-16s  %-11s  %6s  %5s  %7s  %6s  %7s  %s", name, "RUN", "STARTED (UTC)", "VERDICT", "TIME", "TASKS", "CHANGED", "FAILED", "SKIPPED", "SPEC")}
	for _, e := range entries {
		tasks := 0
		for _, n := range e.Counts {
			tasks += n
		}
		failed := e.Counts[event.Failed] + e.Counts[event.Unreachable]
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-*s  %-16s  %-11s  %6s  %5d  %7d  %6d  %7d  %s", name, e.Run, e.Started.UTC().Format("2006-01-02 15:04"),
			e.Verdict, view.Seconds(e.Duration), tasks, e.Counts[event.Changed], failed, e.Counts[event.Skipped], view.Clean(e.Spec)), " "))
	}
	return lines
}

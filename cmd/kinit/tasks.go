package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
)

func tasksCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "tasks",
		Usage:     "list the tasks of a spec and the hosts they work on, without touching a host",
		ArgsUsage: "SPEC",
		Description: `The tasks are in the order of their stages; within a stage, tasks that wait for others come after
them. Those whose hosts differ only in the key are one line; tags are in brackets. An address of
the list is an argument of --only and --skip. No host is asked, so a cluster is shown as a new one.`,
		UsageText: command.Examples("kinit tasks site.hcl -i hosts.ini", "kinit tasks k8s-podman-1-1-1 --hosts nyctea,tyto --stop-after network") +
			command.ExitCodes(exit.OK, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags: slices.Concat(command.InputFlags(), command.SelectionFlags(), []cli.Flag{command.OutputFlag("text, json"), command.NoColorFlag()}),
		Action: func(c *cli.Context) error {
			ctx, s, err := command.OnSpec(a, c, command.Mode{View: view.Read})
			if err != nil {
				return err
			}
			graph, report := engine.Order(ctx, s.Options)
			report, code := s.CloseRecording(report)
			rows := taskRows(graph)
			if c.String("output") == command.OutputJSON {
				return cmp.Or(a.JSON(tasksDocument{rows, view.NewSummary("", report, code).Diagnostics}), exit.Error(code))
			}
			if graph != nil {
				err = a.Lines(taskLines(rows)...)
			}
			s.Screen.Close(report, code)
			return cmp.Or(err, exit.Error(code))
		},
	}
}

// tasksDocument is the JSON of the command.
type tasksDocument struct {
	Tasks       []taskRow       `json:"tasks"`
	Diagnostics []event.Problem `json:"diagnostics"`
}

// taskRow is a block of the playbook: what its tasks have in common.
type taskRow struct {
	Task    string   `json:"task"` // the block's address
	Stage   string   `json:"stage,omitempty"`
	Section string   `json:"section,omitempty"` // "on failure" or "always"
	Skip    string   `json:"skip,omitempty"`    // why it is not done
	Tags    []string `json:"tags,omitempty"`
	Hosts   []string `json:"hosts"` // of its tasks, each once
	Tasks   int      `json:"tasks"`
}

// taskRows returns the blocks of a graph with tasks, in the order of stages.
func taskRows(g *engine.Graph) []taskRow {
	type likeness struct {
		block, stage, skip string
		section            engine.Section
	}
	rows, known := []taskRow{}, map[likeness]int{}
	if g == nil {
		return rows
	}
	for _, t := range g.Tasks {
		key := likeness{t.Block, t.Stage, t.Skip, t.Section}
		at, there := known[key]
		if !there {
			at, known[key] = len(rows), len(rows)
			rows = append(rows, taskRow{Task: t.Block, Stage: t.Stage, Section: string(t.Section), Skip: t.Skip, Tags: t.Tags})
		}
		rows[at].Tasks++
		if !slices.Contains(rows[at].Hosts, t.Host) {
			rows[at].Hosts = append(rows[at].Hosts, t.Host)
		}
	}
	order := map[string]int{}
	for i, s := range g.Stages {
		order[s.Name] = i
	}
	sections := map[string]int{string(engine.OnFailure): 1, string(engine.Always): 2}
	slices.SortStableFunc(rows, func(x, y taskRow) int {
		return cmp.Or(cmp.Compare(sections[x.Section], sections[y.Section]), cmp.Compare(order[x.Stage], order[y.Stage]))
	})
	return rows
}

func taskLines(rows []taskRow) []string {
	cells, n := [][]string{{"STAGE", "TASK", "TASKS", "HOSTS"}}, 0
	for _, r := range rows {
		n += r.Tasks
		where := strings.Join(r.Hosts, ",")
		if len(r.Tags) > 0 {
			where += " [" + strings.Join(r.Tags, ",") + "]"
		}
		if r.Skip != "" {
			where += " (not done: " + r.Skip + ")"
		}
		if r.Section != "" {
			where += " (" + r.Section + ")"
		}
		cells = append(cells, []string{cmp.Or(r.Stage, "-"), r.Task, fmt.Sprint(r.Tasks), where})
	}
	return append(view.Table(cells), "", view.Count(n, "task")+".")
}

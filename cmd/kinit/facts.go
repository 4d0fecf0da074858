package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"path"
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

func factsCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "facts",
		Usage:     "show what hosts are: system, processors, memory, networks",
		ArgsUsage: "HOSTS",
		Description: `The facts are those that the module facts returns ('kinit modules facts'), which a playbook reads as
task.facts.NAME[host.name]. HOSTS are names, groups and globs, as for --hosts. Nothing is
changed. A host that cannot be asked is an error; the others are shown.`,
		UsageText: command.Examples("kinit facts web1", "kinit facts web --filter 'os_*,memory_*'", "kinit facts all -i hosts.ini --output json") +
			command.ExitCodesOfRuns(),
		Flags: slices.Concat([]cli.Flag{command.InventoryFlag()}, command.VaultFlags(), command.PasswordFlags(), []cli.Flag{
			command.HeadSelect.List("filter", "show only `FACTS`: names or globs, separated by commas"),
			command.ForksFlag(),
			command.OutputFlag("text, json"),
			command.NoColorFlag(),
		}),
		Action: func(c *cli.Context) error { return showFacts(a, c) },
	}
}

// showFacts reads the facts by a playbook with an output for each host, so that a host that
// fails takes none of the others with it.
func showFacts(a *app.App, c *cli.Context) error {
	if c.NArg() != 1 {
		return exit.Usagef(c.Command.HelpName, "it takes HOSTS, such as a name, a group or all, %d arguments were given", c.NArg())
	}
	filter := command.List(c, "filter")
	for _, pattern := range filter {
		if _, err := path.Match(pattern, ""); err != nil {
			return exit.Usagef(c.Command.HelpName, "--filter has %q, want a name or a glob such as 'os_*'", pattern)
		}
	}
	o, err := command.OptionsWithInventories(a, c, "facts")
	if err != nil {
		return err
	}
	o.Hosts = command.Split([]string{c.Args().First()})
	ctx, s, err := command.Begin(a, c, o, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	inv, report := engine.ReadInventory(ctx, s.Options)
	if !report.Diagnostics.HasErrors() {
		s.Options.Text = factsPlaybook(inv.Hosts)
		report = a.Engine.Run(ctx, s.Options)
	}
	report, code := s.CloseRecording(report)
	found := factsOf(inv.Hosts, report.Outputs, filter)
	if c.String("output") == command.OutputJSON {
		return cmp.Or(a.JSON(factsDocument{found, view.NewSummary("", report, code).Diagnostics}), exit.Error(code))
	}
	err = a.Lines(factLines(found)...)
	s.Screen.Close(report, code)
	return cmp.Or(err, exit.Error(code))
}

// factsDocument is the JSON of the command.
type factsDocument struct {
	Hosts       map[string]map[string]json.RawMessage `json:"hosts"`
	Diagnostics []event.Problem                       `json:"diagnostics"`
}

// factsPlaybook reads facts on all selected hosts.
func factsPlaybook(hosts []engine.InventoryHost) string {
	text := "task \"facts\" \"host\" {\n  hosts = run.hosts\n}\n"
	for i, h := range hosts {
		text += fmt.Sprintf("output \"host%d\" {\n  value = task.facts.host[%s]\n}\n", i, quote(h.Name))
	}
	return text
}

// factsOf returns the facts of each host that has some, by name.
func factsOf(hosts []engine.InventoryHost, outputs []engine.Output, filter []string) map[string]map[string]json.RawMessage {
	found := map[string]map[string]json.RawMessage{}
	for _, output := range outputs {
		at, facts := 0, map[string]json.RawMessage{}
		if _, err := fmt.Sscanf(output.Name, "host%d", &at); err != nil || json.Unmarshal([]byte(output.Value), &facts) != nil {
			continue
		}
		maps.DeleteFunc(facts, func(name string, _ json.RawMessage) bool { return !wanted(name, filter) })
		found[hosts[at].Name] = facts
	}
	return found
}

// wanted reports whether a name matches one of the patterns; all do if there are none.
func wanted(name string, patterns []string) bool {
	return len(patterns) == 0 || slices.ContainsFunc(patterns, func(pattern string) bool {
		matches, _ := path.Match(pattern, name)
		return matches
	})
}

// factLines returns a heading for each host, and a line for each fact.
func factLines(found map[string]map[string]json.RawMessage) []string {
	var lines []string
	for _, host := range slices.Sorted(maps.Keys(found)) {
		var rows [][]string
		for _, name := range slices.Sorted(maps.Keys(found[host])) {
			rows = append(rows, []string{"  " + name, factText(found[host][name])})
		}
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, host)
		if len(rows) > 0 {
			lines = append(lines, view.Table(rows)...)
		}
	}
	return lines
}

// factText returns a fact on one line: a text as it is, all else as JSON.
func factText(fact json.RawMessage) string {
	text := string(fact)
	_ = json.Unmarshal(fact, &text) // leaves what is no text as it is
	return strings.ReplaceAll(view.Clean(text), "\n", " ")
}

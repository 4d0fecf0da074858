package main

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/draw"
	"kinit/engine"
	"kinit/specs"
)

// candidate is a completion of the last word, with its meaning.
type candidate struct{ text, means string }

// candidates returns the completions of the last word.
func (w *world) candidates(ctx context.Context, words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	app := w.commands()
	before, word := words[:len(words)-1], words[len(words)-1]
	if len(before) > 0 && before[0] == "help" {
		before = before[1:]
	}
	known, commands, chosen := app.Flags, app.Commands, ""
	for len(before) > 0 && len(commands) > 0 {
		command, err := findCommand(commands, before[0], "")
		if err != nil {
			return nil
		}
		chosen, known, commands, before = strings.TrimSpace(chosen+" "+command.Name), command.Flags, command.Subcommands, before[1:]
	}
	if len(commands) > 0 && !strings.HasPrefix(word, "-") {
		return starting(word, commandCandidates(commands, chosen))
	}
	line := completing{world: w, known: known, command: chosen, before: before}
	return starting(word, line.last(ctx, word))
}

func commandCandidates(commands []*cli.Command, chosen string) []candidate {
	var found []candidate
	for _, c := range commands {
		if !c.Hidden {
			found = append(found, candidate{c.Name, c.Usage})
		}
	}
	if chosen == "" {
		found = append(found, candidate{"help", "show the help of a command"})
	}
	return found
}

// starting returns the candidates that start with a word.
func starting(word string, all []candidate) []candidate {
	return slices.DeleteFunc(all, func(c candidate) bool { return !strings.HasPrefix(c.text, word) })
}

// completing is the part of a command line after its command.
type completing struct {
	*world
	known   []cli.Flag
	command string   // such as "lab up"
	before  []string // the words before the last one
}

// last returns the candidates for the last word: a flag, a flag's value or an argument.
func (l completing) last(ctx context.Context, word string) []candidate {
	if slices.Contains(l.before, "--") {
		return nil
	}
	if name, value, ok := strings.Cut(word, "="); ok && strings.HasPrefix(name, "--") {
		// bash passes the value alone as its word, other shells the whole flag.
		values := l.values(ctx, strings.TrimLeft(name, "-"), value)
		for i := range values {
			values[i].text = name + "=" + values[i].text
		}
		return values
	}
	if strings.HasPrefix(word, "-") {
		return l.flags()
	}
	if name := l.flagBefore(); name != "" {
		l.before = l.before[:len(l.before)-1]
		return l.values(ctx, name, word)
	}
	return l.argument(word)
}

// flagBefore returns the flag whose value the last word is, if any.
func (l completing) flagBefore() string {
	if len(l.before) == 0 || !strings.HasPrefix(l.before[len(l.before)-1], "-") {
		return ""
	}
	flag, err := findFlag(l.known, l.before[len(l.before)-1], "")
	if err != nil || !takesValue(flag) || strings.Contains(l.before[len(l.before)-1], "=") {
		return ""
	}
	return flag.Names()[0]
}

func (l completing) flags() []candidate {
	var found []candidate
	for _, f := range l.known {
		usage := strings.ReplaceAll(f.(cli.DocGenerationFlag).GetUsage(), "`", "")
		found = append(found, candidate{"--" + f.Names()[0], usage})
	}
	return found
}

// arguments returns the words before the last that are neither flags nor values of flags.
func (l completing) arguments() []string {
	_, arguments, err := separate(l.before, l.known, "")
	if err != nil {
		return nil
	}
	return arguments
}

// argument returns the candidates for an argument.
func (l completing) argument(word string) []candidate {
	first := len(l.arguments()) == 0
	switch l.command {
	case "completion":
		return []candidate{{"bash", ""}, {"zsh", ""}, {"fish", ""}}
	case "run", "plan", "validate", "status", "graph", "repl", "kubeconfig", "ssh", "console", "conformance":
		if first {
			return append(specNames(), l.files(word)...)
		}
	}
	return nil
}

// specNames returns the names of the specs that ship with kinit, without those that other
// commands use.
func specNames() []candidate {
	entries, err := specs.FS.ReadDir(".")
	if err != nil {
		return nil
	}
	var found []candidate
	for _, entry := range entries {
		name, ok := strings.CutSuffix(entry.Name(), ".hcl")
		if !ok || strings.HasSuffix(name, ".tmpl") || slices.Contains([]string{labSpec, artifactsSpec, doctorSpec}, name) {
			continue
		}
		found = append(found, candidate{name, "ships with kinit"})
	}
	return found
}

// files returns the HCL files and the folders whose paths start with a word.
func (l completing) files(word string) []candidate {
	folder, _ := filepath.Split(word)
	entries, err := os.ReadDir(l.abs(folder))
	if err != nil {
		return nil
	}
	var found []candidate
	for _, entry := range entries {
		hidden := strings.HasPrefix(entry.Name(), ".")
		switch {
		case entry.IsDir() && !hidden:
			found = append(found, candidate{folder + entry.Name() + "/", ""})
		case strings.HasSuffix(entry.Name(), ".hcl") && !hidden, strings.HasSuffix(entry.Name(), ".plan"):
			found = append(found, candidate{folder + entry.Name(), ""})
		}
	}
	return found
}

// values returns the candidates for the value of a flag.
func (l completing) values(ctx context.Context, flag, word string) []candidate {
	switch flag {
	case "output":
		return plainly(outputText, outputJSON, outputQuiet)
	case "as":
		return plainly(asDot, asMermaid, asSVG)
	case "fold":
		return plainly(string(draw.Auto), string(draw.Tasks), string(draw.Blocks), string(draw.Stages))
	case "inventory", "i", "var-file":
		return l.files(word)
	case "hosts", "limit":
		return patterns(word, l.ofInventory(ctx))
	case "stop-after", "start-at":
		stages, _ := l.ofSpec(ctx)
		return stages
	case "only", "skip":
		stages, tasks := l.ofSpec(ctx)
		return lists(word, append(stages, tasks...))
	}
	return nil
}

func plainly(texts ...string) []candidate {
	var found []candidate
	for _, text := range texts {
		found = append(found, candidate{text: text})
	}
	return found
}

// lists completes the last item of a comma-separated list, and patterns the last name of
// a host pattern.
func lists(word string, all []candidate) []candidate    { return behind(",", word, all) }
func patterns(word string, all []candidate) []candidate { return behind(",:!&", word, all) }

// behind completes the text after the last of some separators.
func behind(marks, word string, all []candidate) []candidate {
	at := strings.LastIndexAny(word, marks)
	for i := range all {
		all[i].text = word[:at+1] + all[i].text
	}
	return all
}

// ofInventory returns the groups and hosts of the inventories that the command line names.
func (l completing) ofInventory(ctx context.Context) []candidate {
	set, _, err := separate(l.before, l.known, "")
	if err != nil {
		return nil
	}
	o := l.baseOptions("")
	if o.Inventories, _, err = l.inventoryFiles(valuesOf(set, "inventory")); err != nil {
		return nil
	}
	inv, _ := engine.ReadInventory(ctx, o)
	var found []candidate
	for _, g := range inv.Groups {
		found = append(found, candidate{g.Name, "group"})
	}
	for _, h := range inv.Hosts {
		found = append(found, candidate{h.Name, "host"})
	}
	return found
}

// ofSpec returns the stages and task blocks of the spec that the command line names.
func (l completing) ofSpec(ctx context.Context) (stages, tasks []candidate) {
	arguments := l.arguments()
	if len(arguments) == 0 {
		return nil, nil
	}
	set, _, err := separate(l.before, l.known, "")
	if err != nil {
		return nil, nil
	}
	o := l.baseOptions(arguments[0])
	o.Hosts = split(valuesOf(set, "hosts"))
	if o.Inventories, _, err = l.inventoryFiles(valuesOf(set, "inventory")); err != nil {
		return nil, nil
	}
	graph, _ := engine.Order(ctx, o)
	if graph == nil {
		return nil, nil
	}
	for _, s := range graph.Stages {
		stages = append(stages, candidate{s.Name, "stage"})
	}
	for _, path := range graph.Imports {
		tasks = append(tasks, candidate{path, "import"})
	}
	for _, t := range graph.Tasks {
		if c := (candidate{t.Block, "task"}); len(tasks) == 0 || tasks[len(tasks)-1] != c {
			tasks = append(tasks, c)
		}
	}
	return stages, tasks
}

// valuesOf returns the values of one flag.
func valuesOf(set []string, name string) []string {
	var values []string
	for _, flag := range set {
		if value, ok := strings.CutPrefix(flag, "--"+name+"="); ok {
			values = append(values, value)
		}
	}
	return values
}

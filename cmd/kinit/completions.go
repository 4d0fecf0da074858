package main

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/draw"
	"kinit/engine"
	"kinit/engine/lists"
	"kinit/specs"
)

// completion is a text that the last word may become, with its meaning.
type completion struct{ text, means string }

func completions(ctx context.Context, a *app.App, words []string) []completion {
	if len(words) == 0 {
		words = []string{""}
	}
	app := newCLI(a)
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
		return starting(word, commandCompletions(commands, chosen))
	}
	line := completing{App: a, known: known, command: chosen, before: before}
	return starting(word, line.last(ctx, word))
}

func commandCompletions(commands []*cli.Command, chosen string) []completion {
	var found []completion
	for _, c := range commands {
		if !c.Hidden {
			found = append(found, completion{c.Name, c.Usage})
		}
	}
	if chosen == "" {
		found = append(found, completion{"help", "show the help of a command"})
	}
	return found
}

func starting(word string, all []completion) []completion {
	return slices.DeleteFunc(all, func(c completion) bool { return !strings.HasPrefix(c.text, word) })
}

// completing is the part of a command line after its command.
type completing struct {
	*app.App
	known   []cli.Flag
	command string   // such as "lab up"
	before  []string // the words before the last one
}

// last returns the completions for the last word: a flag, a flag's value or an argument.
func (l completing) last(ctx context.Context, word string) []completion {
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

func (l completing) flags() []completion {
	var found []completion
	for _, f := range l.known {
		usage := strings.ReplaceAll(f.(cli.DocGenerationFlag).GetUsage(), "`", "")
		found = append(found, completion{"--" + f.Names()[0], usage})
	}
	return found
}

// arguments returns the words before the last that are neither flags nor values of flags.
func (l completing) arguments() []string {
	_, arguments, _ := separate(l.before, l.known, "") // none with an error
	return arguments
}

func (l completing) argument(word string) []completion {
	first := len(l.arguments()) == 0
	switch l.command {
	case "completion":
		return []completion{{"bash", ""}, {"zsh", ""}, {"fish", ""}}
	case "run", "plan", "validate", "status", "certs", "replace", "evacuate", "graph", "repl", "kubeconfig", "ssh", "console", "conformance", "tasks":
		if first {
			return append(specNames(), l.files(word)...)
		}
	}
	return nil
}

// specNames returns the names of the specs that ship with kinit: each distribution by each
// driver, with as few nodes as there can be.
func specNames() []completion {
	var found []completion
	for _, distribution := range shipped("*/distribution.hcl") {
		for _, driver := range shipped("drivers/*/driver.hcl") {
			found = append(found, completion{distribution + "-" + driver + "-1-1-1", "ships with kinit"})
		}
	}
	return found
}

// shipped returns the names of folders in the program that have a file.
func shipped(pattern string) []string {
	files, _ := fs.Glob(specs.FS, pattern) // a pattern that is written right
	var names []string
	for _, file := range files {
		names = append(names, path.Base(path.Dir(file)))
	}
	return names
}

// files returns the HCL files and the folders whose paths start with a word.
func (l completing) files(word string) []completion {
	folder, _ := filepath.Split(word)
	entries, err := os.ReadDir(l.Abs(folder))
	if err != nil {
		return nil
	}
	var found []completion
	for _, entry := range entries {
		hidden := strings.HasPrefix(entry.Name(), ".")
		switch {
		case entry.IsDir() && !hidden:
			found = append(found, completion{folder + entry.Name() + "/", ""})
		case strings.HasSuffix(entry.Name(), ".hcl") && !hidden, strings.HasSuffix(entry.Name(), ".plan"):
			found = append(found, completion{folder + entry.Name(), ""})
		}
	}
	return found
}

func (l completing) values(ctx context.Context, flag, word string) []completion {
	switch flag {
	case "output":
		return plainly(command.OutputText, command.OutputJSON, command.OutputQuiet)
	case "as":
		return plainly(asDot, asMermaid, asSVG)
	case "fold":
		return plainly(string(draw.Auto), string(draw.Tasks), string(draw.Blocks), string(draw.Stages))
	case "inventory", "i", "var-file":
		return l.files(word)
	case "hosts", "limit":
		return behind(",:!&", word, l.ofInventory(ctx)) // a pattern of hosts
	case "stop-after", "start-at":
		return stagesOf(l.graph(ctx))
	case "tags", "skip-tags":
		return behind(",", word, tagsOf(l.graph(ctx)))
	case "only", "skip":
		graph := l.graph(ctx)
		return behind(",", word, append(stagesOf(graph), tasksOf(graph)...))
	}
	return nil
}

func plainly(texts ...string) []completion {
	return lists.Map(texts, func(text string) completion { return completion{text: text} })
}

// behind completes the text after the last of some separators.
func behind(marks, word string, all []completion) []completion {
	at := strings.LastIndexAny(word, marks)
	for i := range all {
		all[i].text = word[:at+1] + all[i].text
	}
	return all
}

// options returns engine options with the hosts and inventories that the command line names.
func (l completing) options(spec string) (engine.Options, error) {
	set, _, err := separate(l.before, l.known, "")
	if err != nil {
		return engine.Options{}, err
	}
	o := l.BaseOptions(spec)
	o.Hosts = command.Split(valuesOf(set, "hosts"))
	o.Inventories, _, err = l.InventoryFiles(valuesOf(set, "inventory"))
	return o, err
}

// ofInventory returns the groups and hosts of the inventories that the command line names.
func (l completing) ofInventory(ctx context.Context) []completion {
	o, err := l.options("")
	if err != nil {
		return nil
	}
	o.Hosts = nil // others may follow
	inv, _ := engine.ReadInventory(ctx, o)
	found := lists.Map(inv.Groups, func(g engine.InventoryGroup) completion { return completion{g.Name, "group"} })
	for _, h := range inv.Hosts {
		found = append(found, completion{h.Name, "host"})
	}
	return found
}

// graph returns the tasks of the spec that the command line names; none without one that can be read.
func (l completing) graph(ctx context.Context) *engine.Graph {
	arguments := l.arguments()
	if len(arguments) == 0 {
		return &engine.Graph{}
	}
	o, err := l.options(arguments[0])
	if err != nil {
		return &engine.Graph{}
	}
	graph, _ := engine.Order(ctx, o)
	return cmp.Or(graph, &engine.Graph{})
}

// stagesOf returns the stages of a spec.
func stagesOf(graph *engine.Graph) []completion {
	return lists.Map(graph.Stages, func(s engine.GraphStage) completion { return completion{s.Name, "stage"} })
}

// tasksOf returns the imports and task blocks of a spec.
func tasksOf(graph *engine.Graph) []completion {
	all := lists.Map(graph.Imports, func(path string) completion { return completion{path, "import"} })
	for _, t := range graph.Tasks {
		all = append(all, completion{t.Block, "task"})
	}
	return slices.Compact(all)
}

func tagsOf(graph *engine.Graph) (all []completion) {
	for _, t := range graph.Tasks {
		for _, tag := range t.Tags {
			if c := (completion{tag, "tag"}); !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	return all
}

func valuesOf(set []string, name string) []string {
	var values []string
	for _, flag := range set {
		if value, ok := strings.CutPrefix(flag, "--"+name+"="); ok {
			values = append(values, value)
		}
	}
	return values
}

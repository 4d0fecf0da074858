package main

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/urfave/cli/v2"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine/module"
)

// doSpec is the name of the playbook that a command line stands for.
const doSpec = "do"

func doCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "do",
		Usage:     "do one task of a module on hosts, without a playbook",
		ArgsUsage: "HOSTS MODULE [KEY=VALUE …]",
		Description: `The task is that of a playbook: it is planned, done where something is to do, and looked at
again; its diff and the values that it returns are shown. HOSTS are names, groups and globs, as
for --hosts. 'kinit modules MODULE' has the arguments. A MODULE with a dot in its name, such as
ansible.builtin.stat, is one of Ansible's.

VALUE is a text, where the argument is one. Elsewhere a value that is written as a list, an
object, a number, a text in quotes, true, false or null in HCL is that: 'names=["curl","jq"]'.
With --check nothing is changed.`,
		UsageText: command.Examples(
			"kinit do web package names=curl --become --check",
			"kinit do web1,web2 copy dest=/etc/motd content=hello mode=0644 --become",
			"kinit do all command argv=uptime read_only=true -i hosts.ini",
		) + command.ExitCodesOfRuns(),
		Flags: slices.Concat([]cli.Flag{command.InventoryFlag()}, command.VaultFlags(), command.PasswordFlags(), []cli.Flag{
			command.HeadSelect.Switch("become", "work as root on the hosts", "b"),
			command.HeadSelect.Text("become-user", "work as `USER` on the hosts"),
			command.HeadSelect.Switch("check", "show what would change, and change nothing; exit code 0 also with changes"),
			command.ForksFlag(),
		}, command.OutputFlags(), command.DiffFlags("show every step with its diff; this is the default"), command.ReportFlags()),
		Action: func(c *cli.Context) error { return doTask(a, c) },
	}
}

func doTask(a *app.App, c *cli.Context) error {
	words := c.Args().Slice()
	if len(words) < 2 {
		return exit.Usagef(c.Command.HelpName, "it takes HOSTS, a MODULE and KEY=VALUE …, %d were given", len(words))
	}
	text, err := oneTask(c.Command.HelpName, moduleNamed(a, words[1]), become(c), words[2:])
	if err != nil {
		return err
	}
	o, err := command.OptionsWithInventories(a, c, doSpec)
	if err != nil {
		return err
	}
	o.Text, o.Hosts = text, command.Split(words[:1])
	do, mode := a.Engine.Run, command.Mode{View: view.Run, Logged: true, Diff: true, Values: true}
	if c.Bool("check") {
		do, mode.View, mode.Logged = a.Engine.Plan, view.Plan, c.IsSet("junit") || c.IsSet("report")
	}
	return command.Use(a, c, o, mode, do)
}

// become returns the argument become of the task, or "".
func become(c *cli.Context) string {
	if user := c.String("become-user"); user != "" {
		return quote(user)
	}
	if c.Bool("become") {
		return "true"
	}
	return ""
}

// oneTask returns a playbook with one task on all selected hosts.
func oneTask(path string, of named, become string, pairs []string) (string, error) {
	module := of.name
	args, err := of.arguments(path, pairs)
	if err != nil {
		return "", err
	}
	lines := []string{"hosts = run.hosts"}
	if become != "" {
		lines = append(lines, "become = "+become)
	}
	if strings.Contains(module, ".") {
		lines, module = append(lines, "module = "+quote(module), "args = {\n    "+strings.Join(args, "\n    ")+"\n  }"), "ansible"
	} else {
		lines = append(lines, args...)
	}
	return fmt.Sprintf("task %s \"do\" {\n  %s\n}\n", quote(module), strings.Join(lines, "\n  ")), nil
}

// named is a module and the types of its arguments, if it is one of kinit's.
type named struct {
	name  string
	types map[string]reflect.Type
}

func moduleNamed(a *app.App, name string) named {
	m := named{name, map[string]reflect.Type{}}
	for _, kind := range a.Kinds() {
		if kind.Name == name && kind.New != nil {
			for _, arg := range module.Arguments(reflect.TypeOf(kind.New()).Elem()) {
				m.types[arg.Name] = arg.Field.Type
				if kind := arg.Field.Type; kind.Kind() == reflect.Pointer {
					m.types[arg.Name] = kind.Elem()
				}
			}
		}
	}
	return m
}

func (m named) arguments(path string, pairs []string) ([]string, error) {
	var args, names []string
	for _, pair := range pairs {
		name, value, found := strings.Cut(pair, "=")
		switch {
		case !found && m.name == "command":
			return nil, exit.Usagef(path, "the arguments of a module are KEY=VALUE, %q was given: a command is argv='[\"uptime\", \"-p\"]'", pair)
		case !found && m.name == "shell":
			return nil, exit.Usagef(path, "the arguments of a module are KEY=VALUE, %q was given: a line of the shell is commands='df | sort'", pair)
		case !found || !hclsyntax.ValidIdentifier(name):
			return nil, exit.Usagef(path, "the arguments of a module are KEY=VALUE, %q was given", pair)
		case slices.Contains(names, name):
			return nil, exit.Usagef(path, "the argument %s is given twice", name)
		}
		names = append(names, name)
		args = append(args, name+" = "+m.value(name, value))
	}
	return args, nil
}

// value returns the value of an argument in HCL. An argument that is a text takes any text,
// and one that is a list of texts takes one without brackets as its only element.
func (m named) value(name, value string) string {
	kind := m.types[name]
	switch {
	case kind == nil:
		return written(value)
	case kind.Kind() == reflect.String:
		return quote(value)
	case kind.Kind() == reflect.Slice && kind.Elem().Kind() == reflect.String && !strings.HasPrefix(value, "["):
		return "[" + quote(value) + "]"
	}
	return written(value)
}

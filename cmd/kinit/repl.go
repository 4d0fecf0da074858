package main

import (
	"bufio"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/urfave/cli/v2"
	"golang.org/x/term"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/command"
	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/diag"
)

func replCommand(a *app.App) *cli.Command {
	return &cli.Command{
		Name:      "repl",
		Usage:     "try expressions with the values of a spec",
		ArgsUsage: "SPEC",
		Description: `Each line is an expression, evaluated as in the files of the playbook: with var, local,
cluster, hosts, groups, run, path and the functions. No host is touched, so the cluster is a new
one. On a terminal, Tab completes names and :help shows more. Without a terminal, the lines of
the standard input are evaluated one after another; the exit code is 1 if one had no value.`,
		UsageText: command.Examples(
			"kinit repl k8s-libvirt-1-1-1 --hosts nyctea,tyto",
			"echo 'keys(cluster.nodes)' | kinit repl k8s-libvirt-1-1-1 --hosts nyctea,tyto",
		) + command.ExitCodes(exit.OK, exit.Failed, exit.Usage, exit.Invalid, exit.Interrupted),
		Flags:  slices.Concat(command.InputFlags(), command.OutputFlags()),
		Action: func(c *cli.Context) error { return evaluate(a, c) },
	}
}

// replHelp is the text of :help.
const replHelp = `An expression is evaluated and its value is shown. Besides:
  :type EXPRESSION   the type of its value
  :names WORD        the names that begin with WORD
  :help              this
  :quit              leave, as Ctrl-D does
Names: var.NAME, local.NAME, cluster, hosts["NAME"], groups.NAME, run, path;
functions as in keys(var.x).`

func evaluate(a *app.App, c *cli.Context) error {
	ctx, opening, err := command.OnSpec(a, c, command.Mode{View: view.Read})
	if err != nil {
		return err
	}
	scope, report := engine.Open(ctx, opening.Options)
	if err := opening.End(report); err != nil {
		return err
	}
	s := &evaluator{scope: scope, out: a.Out, err: a.Err}
	if in, ok := a.In.(*os.File); ok && a.Out.Size != nil && term.IsTerminal(int(in.Fd())) {
		return s.onTerminal(in)
	}
	lines := bufio.NewReader(a.In)
	for {
		line, err := lines.ReadString('\n')
		if !s.line(line) || err != nil {
			return s.end(err)
		}
	}
}

// evaluator evaluates lines one after another.
type evaluator struct {
	scope    *engine.Scope
	out, err view.Screen
	failed   bool // a line had no value
}

// end returns the result of a session that reads a file.
func (s *evaluator) end(err error) error {
	if err != nil && err != io.EOF {
		return err
	}
	if s.failed {
		return exit.Code(exit.Failed)
	}
	return nil
}

// line evaluates one line and reports whether more lines are wanted.
func (s *evaluator) line(line string) bool {
	command, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
	switch {
	case command == "" || strings.HasPrefix(command, "#"):
	case command == ":quit", command == ":q":
		return false
	case command == ":help":
		s.print(replHelp)
	case command == ":names":
		s.print(strings.Join(s.scope.Names(strings.TrimSpace(rest)), "\n"))
	case command == ":type":
		s.show(rest, s.scope.Type)
	case strings.HasPrefix(command, ":"):
		s.problems(diag.List{{Summary: "Unknown command", Detail: "There is no " + command + "." + diag.Near(command, []string{":help", ":names", ":quit", ":type"})}}, "")
	default:
		s.show(strings.TrimRight(line, "\r\n"), s.scope.Eval)
	}
	return true
}

func (s *evaluator) show(text string, get func(string) (string, diag.List)) {
	result, diags := get(text)
	if diags.HasErrors() {
		s.problems(diags, text)
		return
	}
	s.print(result)
}

// problems shows the errors of a text that were not shown before.
func (s *evaluator) problems(diags diag.List, text string) {
	if s.failed {
		_, _ = io.WriteString(s.err, "\n")
	}
	s.failed = true
	s.err.Problems(diags, map[string]*hcl.File{engine.InputName: {Bytes: []byte(text)}})
}

func (s *evaluator) print(text string) { _, _ = io.WriteString(s.out, text+"\n") }

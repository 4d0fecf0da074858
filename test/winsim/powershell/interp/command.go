package interp

import (
	"context"
	"errors"
	"strings"

	"kinit/test/winsim/powershell/ast"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// argument is one argument of a command, evaluated.
type argument struct {
	name  string // of a parameter; empty for a value
	value any
	given bool   // the value is there
	text  string // as it was written, for programs
}

// arguments are those of a call, in order.
type arguments struct{ list []argument }

func (a *arguments) add(arg argument) { a.list = append(a.list, arg) }

// stage makes the stage of a command, with the redirections it has.
func (s *Session) stage(ctx context.Context, cmd *ast.Command, piped bool, out Sink) (stage, error) {
	before := s.surroundings()
	out, err := s.redirect(ctx, cmd.Redirections, out)
	if err != nil {
		return nil, err
	}
	at := s.surroundings()
	at.scope = before.scope
	made, err := s.command(ctx, cmd, piped, out)
	s.restore(before)
	if err != nil {
		return nil, err
	}
	return &inside{s: s, at: at, place: cmd.At(), stage: made}, nil
}

// command finds what a command is and evaluates its arguments.
func (s *Session) command(ctx context.Context, cmd *ast.Command, piped bool, out Sink) (stage, error) {
	name, err := s.eval(ctx, cmd.Name)
	if err != nil {
		return nil, err
	}
	args, err := s.arguments(ctx, cmd)
	if err != nil {
		return nil, err
	}
	if b, ok := value.Base(name).(*Block); ok {
		if cmd.Operator == "" {
			return nil, unknown.New("a script block as a command without &")
		}
		return &blockStage{s: s, block: b, args: args, piped: piped, dot: cmd.Operator == ".", out: out}, nil
	}
	if o, ok := name.(*value.Object); ok && o.Type == commandInfo {
		name = o.Property("Name")
	}
	text := value.String(name)
	if text == "" {
		return nil, runtimeError("BadExpression", "InvalidOperation", "The expression after '"+cmd.Operator+"' in a pipeline element produced an object that was not valid. It must result in a command name, a script block, or a CommandInfo object.", nil)
	}
	return s.named(ctx, cmd, text, args, piped, out)
}

// commandInfo is the base of the types of what Get-Command returns.
const commandInfo = "System.Management.Automation.CommandInfo"

// named is the stage of a command by its name: an alias, a function, a cmdlet, a script
// or a program.
func (s *Session) named(ctx context.Context, cmd *ast.Command, name string, args arguments, piped bool, out Sink) (stage, error) {
	if target, ok := s.interp.aliases[strings.ToLower(name)]; ok {
		name = target
	}
	if f, ok := s.scope.function(name); ok {
		return &blockStage{s: s, block: f, args: args, piped: piped, dot: cmd.Operator == ".", out: out}, nil
	}
	if c, ok := s.interp.cmdlets[strings.ToLower(name)]; ok {
		return s.newCmdletStage(ctx, c, name, args, piped, out, cmd.At())
	}
	path, err := s.find(name)
	if err != nil {
		return nil, err
	}
	if strings.HasSuffix(strings.ToLower(path), ".ps1") {
		return s.scriptStage(path, args, piped, cmd.Operator == ".", out)
	}
	return &programStage{s: s, path: path, args: args, piped: piped, out: out}, nil
}

// find is the path of a program or script.
func (s *Session) find(name string) (string, error) {
	path, err := s.interp.host.Find(name, s.Dir, s.Env)
	if !errors.Is(err, ErrAbsent) {
		return path, err
	}
	e := value.NewException("System.Management.Automation.CommandNotFoundException",
		"The term '"+name+"' is not recognized as the name of a cmdlet, function, script file, or operable program. Check the spelling of the name, or if a path was included, verify that the path is correct and try again.")
	e.Extra = []*value.Property{value.P("CommandName", name)}
	r := &value.ErrorRecord{Exception: e, ID: "CommandNotFoundException", Category: "ObjectNotFound", Target: name}
	r.Place.Command = name
	return "", &Throw{Record: r, Statement: true}
}

// arguments evaluates the arguments of a command.
func (s *Session) arguments(ctx context.Context, cmd *ast.Command) (arguments, error) {
	all := arguments{}
	for _, arg := range cmd.Args {
		if v, ok := arg.Value.(*ast.Variable); ok && v.Splat {
			if err := s.splat(&all, v); err != nil {
				return all, locate(err, arg.At())
			}
			continue
		}
		one := argument{name: arg.Parameter, text: arg.Text()}
		if arg.Value != nil {
			v, err := s.eval(ctx, arg.Value)
			if err != nil {
				return all, err
			}
			one.value, one.given = element(v), true
		}
		all.add(one)
	}
	return all, nil
}

// splat spreads a dictionary over parameters, or an array over arguments.
func (s *Session) splat(all *arguments, v *ast.Variable) error {
	plain := *v
	plain.Splat = false
	got, err := s.variable(&plain)
	if err != nil {
		return err
	}
	if h, ok := value.Base(got).(*value.Hashtable); ok {
		for _, key := range h.Keys() {
			item, _ := h.Get(key)
			all.add(argument{name: value.String(key), value: element(item), given: true})
		}
		return nil
	}
	if value.IsNull(got) {
		return nil
	}
	for _, item := range value.Each(got) {
		all.add(argument{value: item, given: true, text: value.String(item)})
	}
	return nil
}

// blockStage is a script block or function as a command.
type blockStage struct {
	s     *Session
	block *Block
	args  arguments
	piped bool
	dot   bool
	input []any
	out   Sink
}

func (b *blockStage) begin(context.Context) error { return nil }

func (b *blockStage) process(_ context.Context, v any) error {
	b.input = append(b.input, v)
	return nil
}

func (b *blockStage) end(ctx context.Context) error {
	if b.piped && b.input == nil {
		b.input = []any{}
	}
	if b.piped && len(b.input) > 0 {
		return unknown.New("objects piped to a script block or function without a process block")
	}
	b.s.okay = true
	if b.dot {
		if b.block.tree.Params != nil {
			return unknown.New("a script block with parameters behind the operator .")
		}
		return b.s.inScope(ctx, b.block, b.out)
	}
	return b.s.call(ctx, b.block, b.args, b.input, b.out)
}

// scriptStage is a script file as a command; exit ends the script alone.
func (s *Session) scriptStage(path string, args arguments, piped, dot bool, out Sink) (stage, error) {
	b, err := s.loadScript(path)
	if err != nil {
		return nil, err
	}
	return &fileStage{blockStage{s: s, block: b, args: args, piped: piped, dot: dot, out: out}}, nil
}

type fileStage struct{ blockStage }

func (f *fileStage) end(ctx context.Context) error {
	err := f.blockStage.end(ctx)
	if flow, ok := asFlow(err); ok && flow.word == "exit" {
		f.s.global.set("LASTEXITCODE", flow.code)
		f.s.okay = flow.code == 0
		return nil
	}
	return err
}

// Command tells what a name is as a command, and its full name or path: Cmdlet,
// Function, ExternalScript, Application, or "" for none.
func (s *Session) Command(name string) (kind, full string, err error) {
	if target, ok := s.interp.aliases[strings.ToLower(name)]; ok {
		return "", "", unknown.New("Get-Command of the alias of %s", target)
	}
	if f, ok := s.scope.function(name); ok {
		return "Function", f.name, nil
	}
	if c, ok := s.interp.cmdlets[strings.ToLower(name)]; ok {
		return "Cmdlet", c.Name, nil
	}
	path, err := s.interp.host.Find(name, s.Dir, s.Env)
	switch {
	case errors.Is(err, ErrAbsent):
		return "", "", nil
	case err != nil:
		return "", "", err
	case strings.HasSuffix(strings.ToLower(path), ".ps1"):
		return "ExternalScript", path, nil
	}
	return "Application", path, nil
}

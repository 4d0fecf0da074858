package dotnet

import (
	"cmp"
	"context"
	"time"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func processTypes() []interp.Type {
	return []interp.Type{
		{Name: "System.Diagnostics.ProcessStartInfo", Aliases: []string{"diagnostics.processstartinfo"}, New: static("ProcessStartInfo", 0, 2, newStartInfo)},
		{Name: "System.Diagnostics.Process", Aliases: []string{"diagnostics.process"},
			New: static("Process", 0, 0, func(c call) (any, error) { return newProcess(c.s, startInfo(c.s)), nil }),
			Statics: statics{
				"Start": static("Start", 1, 2, startProcess),
			}},
	}
}

func newStartInfo(c call) (any, error) {
	o := startInfo(c.s)
	for i, name := range []string{"FileName", "Arguments"}[:len(c.args)] {
		o.Find(name).Value = c.str(i)
	}
	return o, nil
}

// startInfo is a ProcessStartInfo; its environment is a copy of the process' own.
func startInfo(s *interp.Session) *value.Object {
	env := &value.Hashtable{Type: "System.Collections.Hashtable"}
	for name, text := range s.Env.Map() {
		env.Set(name, text)
	}
	return value.NewObject("System.Diagnostics.ProcessStartInfo",
		value.P("FileName", ""), value.P("Arguments", ""), value.P("WorkingDirectory", ""), value.P("UseShellExecute", true),
		value.P("CreateNoWindow", false), value.P("RedirectStandardInput", false), value.P("RedirectStandardOutput", false),
		value.P("RedirectStandardError", false), value.P("StandardOutputEncoding", nil), value.P("StandardErrorEncoding", nil),
		value.P("EnvironmentVariables", env), value.P("Environment", env))
}

func startProcess(c call) (any, error) {
	info, ok := value.Base(c.args[0]).(*value.Object)
	if !ok {
		made, err := newStartInfo(c)
		if err != nil {
			return nil, err
		}
		info = made.(*value.Object)
	}
	o := newProcess(c.s, info)
	if _, err := c.s.CallMethod(c.ctx, o, "Start", nil); err != nil {
		return nil, err
	}
	return o, nil
}

// child is a System.Diagnostics.Process.
type child struct {
	s       *interp.Session
	info    *value.Object
	running interp.Running
	ended   chan struct{}
	code    uint32
	err     error
}

// newProcess is a Process that was not started yet.
func newProcess(s *interp.Session, info *value.Object) *value.Object {
	p := &child{s: s, info: info, ended: make(chan struct{})}
	o := value.NewObject("System.Diagnostics.Process", value.P("StartInfo", info))
	o.Add(&value.Property{Name: "ExitCode", Get: p.exitCode, ReadOnly: true})
	o.Add(computed("HasExited", p.hasExited))
	o.Add(computed("Id", func() any {
		if p.running == nil {
			return nil
		}
		return int32(p.running.ID())
	}))
	bind(o, "Start", method("Start", 0, 0, func(c call) (any, error) { return true, p.start(c.ctx, o) }))
	bind(o, "WaitForExit", method("WaitForExit", 0, 1, p.wait))
	bind(o, "Kill", method("Kill", 0, 0, func(call) (any, error) { return void(p.running.Kill()) }))
	quiet := func(call) (any, error) { return value.Void{}, nil }
	bind(o, "Close", method("Close", 0, 0, quiet))
	bind(o, "Dispose", method("Dispose", 0, 0, quiet))
	return o
}

func (p *child) flag(name string) bool { return value.Truth(p.info.Property(name)) }

func (p *child) text(name string) string { return value.String(p.info.Property(name)) }

// start starts the program. Streams that are not redirected are those of this process.
func (p *child) start(ctx context.Context, o *value.Object) error {
	redirected := p.flag("RedirectStandardInput") || p.flag("RedirectStandardOutput") || p.flag("RedirectStandardError")
	if p.flag("UseShellExecute") {
		if redirected {
			return value.NewException("System.InvalidOperationException", "The Process object must have the UseShellExecute property set to false in order to redirect IO streams.")
		}
		return unknown.New("a process that is started by the shell: set UseShellExecute to $false")
	}
	process, err := p.process()
	if err != nil {
		return err
	}
	if redirected {
		return unknown.New("redirected streams of a process")
	}
	running, err := p.s.Host().Start(ctx, process)
	if err != nil {
		return err
	}
	p.running = running
	go p.await(ctx)
	return nil
}

// await keeps the outcome.
func (p *child) await(ctx context.Context) {
	p.code, p.err = p.running.Wait(ctx)
	close(p.ended)
}

func (p *child) process() (interp.Process, error) {
	name := p.text("FileName")
	dir := cmp.Or(p.text("WorkingDirectory"), p.s.Job().Dir)
	full, err := p.s.Host().Find(name, dir, p.s.Env)
	if err != nil {
		if unknown.Is(err) {
			return interp.Process{}, err
		}
		e := value.NewException("System.ComponentModel.Win32Exception", "The system cannot find the file specified")
		e.Extra = []*value.Property{value.P("NativeErrorCode", int32(2))}
		e.HResult = -2147467259 // 0x80004005, of every Win32Exception
		return interp.Process{}, e
	}
	env := interp.NewVariables(nil)
	if h, ok := p.info.Property("EnvironmentVariables").(*value.Hashtable); ok {
		for _, key := range h.Keys() {
			v, _ := h.Get(key)
			env.Set(value.String(key), value.String(v))
		}
	}
	line := p.text("Arguments")
	return interp.Process{
		Path: full, Line: line, Args: interp.SplitLine(line), Dir: dir, Env: env,
		Stdin: p.s.Stdin(), Stdout: p.s.Stdout(), Stderr: p.s.Stderr(),
	}, nil
}

func (p *child) hasExited() any {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

func (p *child) exitCode() (any, error) {
	if p.hasExited() != true {
		return nil, value.NewException("System.InvalidOperationException", "Process must exit before requested information can be determined.")
	}
	return int32(p.code), p.err
}

// wait waits for the end, or for so many milliseconds of the machine's clock.
func (p *child) wait(c call) (any, error) {
	if len(c.args) == 0 || c.num(0) < 0 {
		select {
		case <-p.ended:
			return value.Void{}, p.err
		case <-c.ctx.Done():
			return nil, c.ctx.Err()
		}
	}
	ctx, cancel := context.WithCancel(c.ctx)
	defer cancel()
	late := make(chan error, 1)
	go func() { late <- p.s.Host().Clock().Sleep(ctx, time.Duration(c.num(0))*time.Millisecond) }()
	select {
	case <-p.ended:
		return true, p.err
	case <-late:
		return false, c.ctx.Err()
	}
}

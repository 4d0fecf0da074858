package power

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// object is a process as an object.
func (w module) object(p *machine.Process) *value.Object {
	o := value.NewObject("System.Diagnostics.Process", value.P("Id", int32(p.ID)), value.P("ProcessName", p.Name()), value.P("Name", p.Name()),
		value.P("Path", p.Image), value.P("StartTime", cmdlet.Time(p.Started)), value.P("SessionId", int32(0)),
		&value.Property{Name: "HasExited", Get: func() (any, error) { return exited(p), nil }},
		&value.Property{Name: "ExitCode", Get: func() (any, error) {
			if !exited(p) {
				return nil, value.NewException("System.InvalidOperationException", "Process must exit before requested information can be determined.")
			}
			return int32(p.Wait()), nil
		}})
	o.Text = func() string { return "System.Diagnostics.Process (" + p.Name() + ")" }
	o.Data = p
	return o.Method("WaitForExit", func(ctx context.Context, args []any) (any, error) { return waitForExit(ctx, p, args) })
}

func exited(p *machine.Process) bool {
	select {
	case <-p.Done():
		return true
	default:
		return false
	}
}

// selected are the processes that a cmdlet names.
func (w module) selected(ctx context.Context, c *interp.Call) ([]*machine.Process, error) {
	var all []*machine.Process
	for _, item := range cmdlet.Items(c.Value("InputObject")) {
		if o, ok := item.(*value.Object); ok {
			if p, ok := o.Data.(*machine.Process); ok {
				all = append(all, p)
			}
		}
	}
	if c.Has("InputObject") {
		return all, nil
	}
	for _, p := range w.m.Processes() {
		if cmdlet.Matches(p.Name(), c.Strings("Name")) && cmdlet.Matches(fmt.Sprint(p.ID), c.Strings("Id")) {
			all = append(all, p)
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	command := commands + cmdlet.Class(c)
	for _, asked := range []struct{ parameter, message, id string }{
		{"Name", "Cannot find a process with the name \"%s\". Verify the process name and call the cmdlet again.", "NoProcessFoundForGivenName,"},
		{"Id", "Cannot find a process with the process identifier %s.", "NoProcessFoundForGivenId,"},
	} {
		for _, text := range c.Strings(asked.parameter) {
			if value.HasWildcards(text) {
				continue
			}
			err := cmdlet.Report(ctx, c, cmdlet.Failure{
				Type: commands + "ProcessCommandException", Message: fmt.Sprintf(asked.message, text), ID: asked.id + command, Category: "ObjectNotFound", Target: text,
			})
			if err != nil {
				return nil, err
			}
		}
	}
	return nil, nil
}

func (w module) processes(ctx context.Context, c *interp.Call) error {
	all, err := w.selected(ctx, c)
	if err != nil {
		return err
	}
	return cmdlet.WriteEach(ctx, c, all, w.object)
}

func (w module) stop(ctx context.Context, c *interp.Call) error {
	all, err := w.selected(ctx, c)
	if err != nil {
		return err
	}
	for _, p := range all {
		p.Kill()
	}
	return nil
}

func (w module) start(ctx context.Context, c *interp.Call) error {
	// The arguments are joined with spaces and nothing is quoted.
	rest := strings.Join(c.Strings("ArgumentList"), " ")
	dir := c.Session.Dir
	if c.Has("WorkingDirectory") {
		dir = c.Session.Path(c.String("WorkingDirectory"))
	}
	program := c.String("FilePath")
	if strings.ContainsAny(program, `\/:`) {
		program = c.Session.Path(program)
	}
	line := program
	if strings.Contains(line, " ") {
		line = `"` + line + `"`
	}
	// A process of its own: it goes on when the script ends, and ends with the session.
	started, err := w.p.Launch(context.WithoutCancel(ctx), machine.Start{
		Program: program, Args: machine.SplitArgs(rest), Line: strings.TrimSpace(line + " " + rest), Dir: dir, Env: machine.NewEnvironment(c.Session.Env.Map()),
		Stdin: strings.NewReader(""), Stdout: c.Session.Stdout(), Stderr: c.Session.Stderr(),
	})
	if err != nil {
		return w.refused(c, err)
	}
	if c.Bool("Wait") {
		select {
		case <-started.Done():
		case <-ctx.Done():
			started.Kill()
			return ctx.Err()
		}
		if err := started.Failure(); err != nil {
			return err
		}
	}
	if !c.Bool("PassThru") {
		return nil
	}
	return c.WriteObject(ctx, w.object(started))
}

func (w module) refused(c *interp.Call, err error) error {
	var code *winerr.Error
	if !errors.As(err, &code) {
		return err
	}
	return cmdlet.Stop(c, cmdlet.Failure{
		Type: "System.InvalidOperationException", Category: "InvalidOperation", ID: "InvalidOperationException," + commands + "StartProcessCommand",
		Message: "This command cannot be run due to the error: " + strings.ReplaceAll(w.m.Text(code.Code), "%1", c.String("FilePath")),
		Inner:   cmdlet.Win32(w.m, code.Code),
	})
}

// waitForExit is Process.WaitForExit, without end or for so many milliseconds.
func waitForExit(ctx context.Context, p *machine.Process, args []any) (any, error) {
	limited := len(args) == 1
	if limited {
		milliseconds, ok := value.Integer(value.Base(args[0]))
		if !ok {
			return nil, unknown.New("Process.WaitForExit of a %s", value.TypeName(args[0]))
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(milliseconds)*time.Millisecond)
		defer cancel()
	}
	select {
	case <-p.Done():
		if limited {
			return true, nil
		}
		return value.Void{}, nil
	case <-ctx.Done():
		if limited {
			return false, nil
		}
		return nil, ctx.Err()
	}
}

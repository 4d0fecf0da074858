package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

const taskClass = "MSFT_ScheduledTask"

// changers are the cmdlets that act on tasks.
func (t module) changers() []interp.Cmdlet {
	name, path := cmdlet.At(1, cmdlet.Texts("TaskName")), cmdlet.At(2, cmdlet.Texts("TaskPath"))
	one, folder := cmdlet.At(1, cmdlet.Text("TaskName")), cmdlet.At(2, cmdlet.Text("TaskPath"))
	input := cmdlet.Piped(cmdlet.Any("InputObject"))
	which := []interp.Parameter{name, path, input}
	return []interp.Cmdlet{
		{Name: "Get-ScheduledTask", Parameters: []interp.Parameter{name, path}, Run: t.get},
		{Name: "Get-ScheduledTaskInfo", Parameters: which, Run: t.info},
		{Name: "Register-ScheduledTask", Run: t.register, Parameters: []interp.Parameter{
			one, folder, cmdlet.Any("Action"), cmdlet.Any("Trigger"), cmdlet.Any("Principal"), cmdlet.Any("Settings"),
			cmdlet.Text("Description"), cmdlet.Text("User"), cmdlet.Switch("Force"),
			{Name: "RunLevel", Type: "string", Values: []string{"Limited", "Highest"}},
		}},
		{Name: "Start-ScheduledTask", Parameters: which, Run: t.act(t.m.RunTask)},
		{Name: "Stop-ScheduledTask", Parameters: which, Run: t.act(t.m.StopTask)},
		{Name: "Enable-ScheduledTask", Parameters: which, Run: t.enable(true)},
		{Name: "Disable-ScheduledTask", Parameters: which, Run: t.enable(false)},
		{Name: "Unregister-ScheduledTask", Confirms: true, Parameters: which, Run: t.unregister},
	}
}

// task is a task as an object.
func (t module) task(of machine.Task) *value.Object {
	state := "Ready"
	switch {
	case t.m.TaskActive(of):
		state = "Running"
	case of.Disabled:
		state = "Disabled"
	}
	var actions, triggers []any
	for _, a := range of.Actions {
		actions = append(actions, action(a))
	}
	for _, trigger := range of.Triggers {
		triggers = append(triggers, t.trigger(trigger))
	}
	limits := settings{hidden: of.Hidden, disabled: of.Disabled, limit: of.TimeLimit, instances: of.Instances, priority: 7}
	limits.instances = cmp.Or(limits.instances, "IgnoreNew")
	o := object(taskClass, of, value.P("TaskName", of.Name), value.P("TaskPath", of.Path), value.P("URI", of.FullName()),
		value.P("Description", cmdlet.TextOrNull(of.Description)), value.P("Author", nil), value.P("Date", nil),
		value.P("State", value.NewEnum(enum+"StateEnum", state, map[string]int64{"Disabled": 1, "Ready": 3, "Running": 4}[state])),
		value.P("Actions", &value.Array{Items: actions}), value.P("Triggers", &value.Array{Items: triggers}),
		value.P("Principal", t.principal(of).object()),
		value.P("Settings", limits.object()))
	o.Text = func() string { return fmt.Sprintf("%s (TaskName = %q, TaskPath = %q)", taskClass, of.Name, of.Path) }
	return o
}

// userName is a user as tasks show it: without the authority or the computer.
func (t module) userName(sid string) string {
	full := t.m.Accounts.Name(sid, t.m.ComputerName())
	if _, short, ok := strings.Cut(full, `\`); ok {
		return short
	}
	return full
}

// query returns the tasks that a cmdlet names.
func (t module) query(ctx context.Context, c *interp.Call) ([]machine.Task, error) {
	if c.Has("InputObject") {
		return dataOf[machine.Task](c.Value("InputObject"), "task")
	}
	var found []machine.Task
	for _, of := range t.m.Tasks() {
		if cmdlet.Matches(of.Name, c.Strings("TaskName")) && cmdlet.Matches(of.Path, c.Strings("TaskPath")) {
			found = append(found, of)
		}
	}
	for _, parameter := range []string{"TaskName", "TaskPath"} {
		names := c.Strings(parameter)
		if len(found) > 0 || len(names) == 0 || slices.ContainsFunc(names, value.HasWildcards) {
			continue
		}
		return nil, cmdlet.Report(ctx, c, cmdlet.NotFound(c, taskClass, parameter, names[0]))
	}
	return found, nil
}

// each does something with every task that a cmdlet names.
func (t module) each(ctx context.Context, c *interp.Call, do func(of machine.Task) error) error {
	found, err := t.query(ctx, c)
	if err != nil {
		return err
	}
	for _, of := range found {
		if err := do(of); err != nil {
			return err
		}
	}
	return nil
}

func (t module) get(ctx context.Context, c *interp.Call) error {
	return t.each(ctx, c, func(of machine.Task) error { return c.WriteObject(ctx, t.task(of)) })
}

func (t module) info(ctx context.Context, c *interp.Call) error {
	return t.each(ctx, c, func(of machine.Task) error {
		return c.WriteObject(ctx, object("MSFT_TaskDynamicInfo", of, value.P("TaskName", of.Name), value.P("TaskPath", of.Path),
			value.P("LastRunTime", cmdlet.TimeOrNull(of.LastRun)), value.P("LastTaskResult", of.LastResult), value.P("NumberOfMissedRuns", uint32(0))))
	})
}

// act is a cmdlet that does something with tasks. What they are named and is not there
// is an error of the scheduler itself.
func (t module) act(do func(path, name string) error) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		return t.each(ctx, c, func(of machine.Task) error {
			err := do(of.Path, of.Name)
			if code := cmdlet.Code(err); code != 0 {
				return cmdlet.Report(ctx, c, t.scheduler(c, code))
			}
			return err
		})
	}
}

// scheduler is a failure that the Task Scheduler gives by its code.
func (t module) scheduler(c *interp.Call, code winerr.Code) cmdlet.Failure {
	return cmdlet.Failure{
		Type: "Microsoft.Management.Infrastructure.CimException", Message: t.m.Text(code), Category: "NotSpecified",
		ID: fmt.Sprintf("HRESULT 0x%08x,%s", code.HResult(), c.Cmdlet.Name), Target: "PS_ScheduledTask",
	}
}

func (t module) enable(on bool) func(context.Context, *interp.Call) error {
	return func(ctx context.Context, c *interp.Call) error {
		return t.each(ctx, c, func(of machine.Task) error {
			if err := t.m.ChangeTask(of.Path, of.Name, func(of *machine.Task) { of.Disabled = !on }); err != nil {
				return err
			}
			of.Disabled = !on
			return c.WriteObject(ctx, t.task(of))
		})
	}
}

// unregister asks before it deletes, unless -Confirm:$false is given; there is no one to answer here.
func (t module) unregister(ctx context.Context, c *interp.Call) error {
	found, err := t.query(ctx, c)
	if err != nil {
		return err
	}
	if len(found) > 0 && (!c.Has("Confirm") || c.Confirm()) {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "System.Management.Automation.PSInvalidOperationException", Category: "InvalidOperation", ID: "InvalidOperation,Unregister-ScheduledTask",
			Message: "Windows PowerShell is in NonInteractive mode. Read and Prompt functionality is not available.",
		})
	}
	for _, of := range found {
		if err := t.m.RemoveTask(of.Path, of.Name); err != nil {
			return err
		}
	}
	return nil
}

func (t module) register(ctx context.Context, c *interp.Call) error {
	of, err := t.definition(c)
	if err != nil {
		return err
	}
	if of.User == "" {
		return cmdlet.Stop(c, cmdlet.Failure{
			Type: "Microsoft.Management.Infrastructure.CimException", Message: "No mapping between account names and security IDs was done.",
			Category: "NotSpecified", ID: "HRESULT 0x80070534,Register-ScheduledTask",
		})
	}
	err = t.m.AddTask(of, c.Bool("Force"))
	if errors.Is(err, machine.ErrTaskExists) {
		return cmdlet.Stop(c, t.scheduler(c, winerr.AlreadyExists))
	}
	if err != nil {
		return err
	}
	return c.WriteObject(ctx, t.task(of))
}

// definition is the task that the parameters describe.
func (t module) definition(c *interp.Call) (machine.Task, error) {
	of := machine.Task{Path: `\`, Name: c.String("TaskName"), Description: c.String("Description"), LogonType: "Interactive", RunLevel: "Limited"}
	if c.Has("TaskPath") {
		of.Path = `\` + strings.Trim(c.String("TaskPath"), `\`) + `\`
		of.Path = strings.ReplaceAll(of.Path, `\\`, `\`)
	}
	var err error
	if of.Actions, err = dataOf[machine.TaskAction](c.Value("Action"), "action"); err != nil {
		return of, err
	}
	triggers, err := dataOf[*machine.TaskTrigger](c.Value("Trigger"), "trigger")
	if err != nil {
		return of, err
	}
	for _, trigger := range triggers {
		of.Triggers = append(of.Triggers, *trigger)
	}
	limits, err := dataOf[settings](c.Value("Settings"), "settings")
	if err != nil {
		return of, err
	}
	for _, s := range limits {
		of.Hidden, of.Disabled, of.TimeLimit, of.Instances = s.hidden, s.disabled, s.limit, s.instances
	}
	return of, t.runAs(c, &of)
}

// runAs says who a task runs as: by -Principal, by -User, or who registers it.
func (t module) runAs(c *interp.Call, of *machine.Task) error {
	of.User = cmdlet.User(t.m, c.Session)
	principals, err := dataOf[principal](c.Value("Principal"), "principal")
	if err != nil {
		return err
	}
	for _, p := range principals {
		of.User, of.LogonType, of.RunLevel = t.m.Accounts.SID(p.user), p.logonType, p.runLevel
	}
	if c.Has("User") {
		of.User = t.m.Accounts.SID(c.String("User"))
		if of.User == account.SystemSID {
			of.LogonType = "ServiceAccount"
		}
	}
	if c.Has("RunLevel") {
		of.RunLevel = c.String("RunLevel")
	}
	return nil
}

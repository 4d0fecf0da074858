// Package tasks is the cmdlets of the module ScheduledTasks.
package tasks

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const (
	cim  = "Microsoft.Management.Infrastructure.CimInstance#Root/Microsoft/Windows/TaskScheduler/"
	enum = "Microsoft.PowerShell.Cmdletization.GeneratedTypes.ScheduledTask."
)

// module is the cmdlets of one machine.
type module struct{ m *machine.Machine }

// Cmdlets are the cmdlets of the module on a machine.
func Cmdlets(m *machine.Machine) []interp.Cmdlet {
	t := module{m}
	return append(t.makers(), t.changers()...)
}

// makers are the cmdlets that make the parts of a task and change nothing.
func (t module) makers() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "New-ScheduledTaskAction", Run: newAction, Parameters: []interp.Parameter{
			cmdlet.Needed(cmdlet.At(1, cmdlet.Text("Execute"))), cmdlet.At(2, cmdlet.Text("Argument")),
			cmdlet.At(3, cmdlet.Text("WorkingDirectory")), cmdlet.Text("Id"),
		}},
		{Name: "New-ScheduledTaskTrigger", Run: t.newTrigger, Parameters: []interp.Parameter{
			cmdlet.Switch("AtStartup"), cmdlet.Switch("AtLogOn"), cmdlet.Switch("Once"), cmdlet.Switch("Daily"),
			{Name: "At", Type: "datetime"}, cmdlet.Text("User"), cmdlet.Whole("DaysInterval"),
			{Name: "RandomDelay", Type: "timespan"}, {Name: "RepetitionInterval", Type: "timespan"}, {Name: "RepetitionDuration", Type: "timespan"},
		}},
		{Name: "New-ScheduledTaskPrincipal", Run: newPrincipal, Parameters: []interp.Parameter{
			cmdlet.At(1, cmdlet.Text("UserId")), cmdlet.Text("Id"),
			{Name: "LogonType", Type: "string", Values: []string{"None", "Password", "S4U", "Interactive", "Group", "ServiceAccount", "InteractiveOrPassword"}},
			{Name: "RunLevel", Type: "string", Values: []string{"Limited", "Highest"}},
		}},
		{Name: "New-ScheduledTaskSettingsSet", Run: newSettings, Parameters: []interp.Parameter{
			cmdlet.Switch("AllowStartIfOnBatteries"), cmdlet.Switch("DontStopIfGoingOnBatteries"), cmdlet.Switch("StartWhenAvailable"),
			cmdlet.Switch("Hidden"), cmdlet.Switch("Disable"), cmdlet.Switch("DontStopOnIdleEnd"), cmdlet.Whole("Priority"),
			{Name: "ExecutionTimeLimit", Type: "timespan"}, cmdlet.Whole("RestartCount"), {Name: "RestartInterval", Type: "timespan"},
			{Name: "MultipleInstances", Type: "string", Values: []string{"Parallel", "Queue", "IgnoreNew"}},
		}},
	}
}

// object is a CIM instance of a class of the Task Scheduler.
func object(class string, data any, properties ...*value.Property) *value.Object {
	o := value.NewObject(cim+class, append(properties, value.P("CimClass",
		value.NewObject("Microsoft.Management.Infrastructure.CimClass", value.P("CimClassName", class))))...)
	o.Text = func() string { return class }
	o.Data = data
	return o
}

func newAction(ctx context.Context, c *interp.Call) error {
	return c.WriteObject(ctx, action(machine.TaskAction{Execute: c.String("Execute"), Arguments: c.String("Argument"), Dir: c.String("WorkingDirectory")}))
}

func action(a machine.TaskAction) *value.Object {
	return object("MSFT_TaskExecAction", a, value.P("Id", nil), value.P("Execute", a.Execute),
		value.P("Arguments", cmdlet.TextOrNull(a.Arguments)), value.P("WorkingDirectory", cmdlet.TextOrNull(a.Dir)))
}

// classes are the CIM classes of kinds of triggers.
func classes() map[string]string {
	return map[string]string{"Boot": "MSFT_TaskBootTrigger", "Logon": "MSFT_TaskLogonTrigger", "Once": "MSFT_TaskTimeTrigger", "Daily": "MSFT_TaskDailyTrigger"}
}

func (t module) newTrigger(ctx context.Context, c *interp.Call) error {
	trigger := machine.TaskTrigger{Every: int(max(1, c.Int("DaysInterval")))}
	switch {
	case c.Bool("AtStartup"):
		trigger.Kind = "Boot"
	case c.Bool("AtLogOn"):
		trigger.Kind, trigger.User = "Logon", c.String("User")
	case c.Bool("Once"):
		trigger.Kind = "Once"
	case c.Bool("Daily"):
		trigger.Kind = "Daily"
	default:
		return unknown.New("a trigger of New-ScheduledTaskTrigger without -AtStartup, -AtLogOn, -Once or -Daily")
	}
	if trigger.Kind == "Once" || trigger.Kind == "Daily" {
		at, ok := value.Base(c.Value("At")).(value.DateTime)
		if !ok {
			return cmdlet.Stop(c, cmdlet.Failure{
				Type: "System.Management.Automation.ParameterBindingException", Category: "InvalidArgument",
				Message: "Parameter set cannot be resolved using the specified named parameters.", ID: "AmbiguousParameterSet,New-ScheduledTaskTrigger",
			})
		}
		trigger.At = at.T
	}
	if span, ok := value.Base(c.Value("RandomDelay")).(value.TimeSpan); ok {
		trigger.Delay = span.Duration()
	}
	if span, ok := value.Base(c.Value("RepetitionInterval")).(value.TimeSpan); ok {
		if trigger.Interval = span.Duration(); trigger.Interval >= 24*time.Hour {
			return unknown.New("a -RepetitionInterval of a day or more")
		}
	}
	return c.WriteObject(ctx, t.trigger(trigger))
}

// boundary is the form of a trigger's start: local time, or with its zone.
const boundary = "2006-01-02T15:04:05"

// trigger is a trigger as an object, whose start can be set.
func (t module) trigger(of machine.TaskTrigger) *value.Object {
	if !of.At.IsZero() && of.Boundary == "" {
		of.Boundary = of.At.Format(time.RFC3339)
	}
	start := cmdlet.TextOrNull(of.Boundary)
	kept := &of
	begin := value.P("StartBoundary", start)
	begin.Set = func(v any) error {
		at, err := t.parseBoundary(value.String(v))
		if err != nil {
			return value.NewException("System.FormatException", "The task XML contains a value which is incorrectly formatted or out of range.")
		}
		kept.At, kept.Boundary = at, value.String(v)
		begin.Value = kept.Boundary
		return nil
	}
	user := value.P("UserId", cmdlet.TextOrNull(of.User))
	return object(classes()[of.Kind], kept, value.P("Enabled", true), begin, value.P("EndBoundary", nil), value.P("Id", nil),
		value.P("ExecutionTimeLimit", nil), value.P("DaysInterval", int32(of.Every)), user, value.P("Repetition", repetition(of.Interval)))
}

// repetition is a trigger's, with an interval in the form of XML or none.
func repetition(interval time.Duration) *value.Object {
	text := ""
	if interval > 0 {
		text = "PT" + strings.ToUpper(strings.Replace(strings.TrimSuffix(interval.String(), "0s"), "h0m", "h", 1))
	}
	return object("MSFT_TaskRepetitionPattern", nil, value.P("Interval", cmdlet.TextOrNull(text)), value.P("Duration", nil), value.P("StopAtDurationEnd", false))
}

func (t module) parseBoundary(text string) (time.Time, error) {
	for _, form := range []string{time.RFC3339, boundary + "Z"} {
		if at, err := time.Parse(form, text); err == nil {
			return at, nil
		}
	}
	return time.ParseInLocation(boundary, text, t.m.Now().Location())
}

// principal is who a task runs as.
type principal struct{ user, logonType, runLevel, group string }

func newPrincipal(ctx context.Context, c *interp.Call) error {
	p := principal{user: c.String("UserId"), logonType: cmp.Or(c.String("LogonType"), "Interactive"), runLevel: cmp.Or(c.String("RunLevel"), "Limited")}
	return c.WriteObject(ctx, p.object())
}

// principal is who a task runs as: a user, or the members of a group that log in.
func (t module) principal(of machine.Task) principal {
	p := principal{user: t.userName(of.User), logonType: of.LogonType, runLevel: of.RunLevel}
	if of.LogonType == "Group" {
		p.user, p.group = "", p.user
	}
	return p
}

func (p principal) object() *value.Object {
	logon := map[string]int64{"None": 0, "Password": 1, "S4U": 2, "Interactive": 3, "Group": 4, "ServiceAccount": 5, "InteractiveOrPassword": 6}
	level := map[string]int64{"Limited": 0, "Highest": 1}
	return object("MSFT_TaskPrincipal2", p, value.P("UserId", cmdlet.TextOrNull(p.user)), value.P("Id", "Author"), value.P("GroupId", cmdlet.TextOrNull(p.group)),
		value.P("LogonType", value.NewEnum(enum+"LogonTypeEnum", p.logonType, logon[p.logonType])),
		value.P("RunLevel", value.NewEnum(enum+"RunLevelEnum", p.runLevel, level[p.runLevel])))
}

// settings are what matters here of a task's settings.
type settings struct {
	hidden, disabled bool
	limit            time.Duration
	instances        string
	priority         int64
}

func newSettings(ctx context.Context, c *interp.Call) error {
	s := settings{hidden: c.Bool("Hidden"), disabled: c.Bool("Disable"), instances: c.String("MultipleInstances"), priority: 7}
	s.instances = cmp.Or(s.instances, "IgnoreNew")
	if c.Has("Priority") {
		s.priority = c.Int("Priority")
	}
	if span, ok := value.Base(c.Value("ExecutionTimeLimit")).(value.TimeSpan); ok {
		s.limit = span.Duration()
		if s.limit == 0 {
			s.limit = -1 // no limit
		}
	}
	return c.WriteObject(ctx, s.object())
}

func (s settings) object() *value.Object {
	return object("MSFT_TaskSettings3", s, value.P("Hidden", s.hidden), value.P("Enabled", !s.disabled), value.P("Priority", int32(s.priority)),
		value.P("ExecutionTimeLimit", s.limited()),
		value.P("MultipleInstances", value.NewEnum(enum+"MultipleInstancesEnum", s.instances, map[string]int64{"Parallel": 0, "Queue": 1, "IgnoreNew": 2}[s.instances])))
}

// limited is after how long a task is ended, as an XML duration: three days unless the
// settings say another time (TaskSettings.ExecutionTimeLimit).
func (s settings) limited() string {
	switch {
	case s.limit < 0:
		return "PT0S"
	case s.limit == 0:
		return "PT72H"
	}
	return fmt.Sprintf("PT%dS", int64(s.limit.Seconds()))
}

// dataOf are the data of objects of one kind that a parameter has.
func dataOf[T any](v any, what string) ([]T, error) {
	var all []T
	for _, item := range cmdlet.Items(v) {
		o, ok := item.(*value.Object)
		if !ok {
			return nil, unknown.New("a %s as a %s of a scheduled task", value.TypeName(item), what)
		}
		data, ok := o.Data.(T)
		if !ok {
			return nil, unknown.New("a %s as a %s of a scheduled task", strings.TrimPrefix(o.Type, cim), what)
		}
		all = append(all, data)
	}
	return all, nil
}

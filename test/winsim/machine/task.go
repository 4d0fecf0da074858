package machine

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"kinit/test/winsim/machine/winerr"
)

// ErrTask is the failure to find a scheduled task.
var ErrTask = errors.New("no such scheduled task")

// ErrTaskExists is the failure to make a scheduled task whose name is taken.
var ErrTaskExists = errors.New("the scheduled task exists")

// TaskAction is what a task runs.
type TaskAction struct {
	Execute   string `json:"execute"`
	Arguments string `json:"arguments,omitempty"`
	Dir       string `json:"dir,omitempty"`
}

// TaskTrigger is when a task runs.
type TaskTrigger struct {
	Kind     string        `json:"kind"` // Boot, Logon, Once, Daily or Weekly
	At       time.Time     `json:"at,omitzero"`
	Boundary string        `json:"boundary,omitempty"` // At as it was written
	Delay    time.Duration `json:"delay,omitempty"`
	Interval time.Duration `json:"interval,omitempty"` // of a repetition
	Every    int           `json:"every,omitempty"`    // days or weeks
	Days     int           `json:"days,omitempty"`     // of a week, as a mask
	User     string        `json:"user,omitempty"`
}

// Task is a scheduled task.
type Task struct {
	Path        string        `json:"path"` // of its folder, such as \ or \kinit\
	Name        string        `json:"name"`
	Description string        `json:"description,omitempty"`
	Actions     []TaskAction  `json:"actions"`
	Triggers    []TaskTrigger `json:"triggers,omitempty"`
	User        string        `json:"user"`       // a SID
	LogonType   string        `json:"logon_type"` // ServiceAccount, Password, Interactive …
	RunLevel    string        `json:"run_level"`  // Limited or Highest
	Disabled    bool          `json:"disabled,omitempty"`
	Hidden      bool          `json:"hidden,omitempty"`
	// TimeLimit is how long it may run, three days by default; below zero for ever.
	TimeLimit  time.Duration `json:"time_limit,omitempty"`
	Instances  string        `json:"instances,omitempty"` // IgnoreNew, Parallel, Queue, StopExisting
	LastRun    time.Time     `json:"last_run,omitzero"`
	LastResult uint32        `json:"last_result"`
}

// What LastResult says of a task that has no exit code yet (Task Scheduler's error
// constants).
const (
	TaskRunning  uint32 = 0x41301
	TaskHasNoRun uint32 = 0x41303
)

// taskList is the tasks that run.
type taskList struct {
	sync.Mutex
	running map[string][]*Process // by the task's full name in lower case
}

// FullName is the task's folder and name.
func (t Task) FullName() string { return t.Path + t.Name }

// Tasks lists the scheduled tasks.
func (m *Machine) Tasks() []Task {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.state.Tasks)
}

// Task returns a task by its folder and name.
func (m *Machine) Task(path, name string) (Task, error) {
	for _, t := range m.Tasks() {
		if strings.EqualFold(t.FullName(), path+name) {
			return t, nil
		}
	}
	return Task{}, ErrTask
}

// AddTask makes a task; one of the same name is replaced only when replace says so.
func (m *Machine) AddTask(t Task, replace bool) error {
	if _, err := m.Task(t.Path, t.Name); err == nil && !replace {
		return ErrTaskExists
	}
	t.LastResult = TaskHasNoRun
	err := m.change(func(s *state) {
		s.Tasks = slices.DeleteFunc(s.Tasks, func(old Task) bool { return strings.EqualFold(old.FullName(), t.FullName()) })
		s.Tasks = append(s.Tasks, t)
	})
	if err != nil {
		return err
	}
	m.arm(t)
	return nil
}

// ChangeTask edits a task.
func (m *Machine) ChangeTask(path, name string, edit func(*Task)) error {
	if _, err := m.Task(path, name); err != nil {
		return err
	}
	return m.change(func(s *state) {
		for i := range s.Tasks {
			if strings.EqualFold(s.Tasks[i].FullName(), path+name) {
				edit(&s.Tasks[i])
			}
		}
	})
}

// RemoveTask deletes a task. What it runs goes on.
func (m *Machine) RemoveTask(path, name string) error {
	if _, err := m.Task(path, name); err != nil {
		return err
	}
	return m.change(func(s *state) {
		s.Tasks = slices.DeleteFunc(s.Tasks, func(t Task) bool { return strings.EqualFold(t.FullName(), path+name) })
	})
}

// TaskActive reports whether a task runs.
func (m *Machine) TaskActive(t Task) bool {
	m.tasks.Lock()
	defer m.tasks.Unlock()
	return len(m.tasks.running[strings.ToLower(t.FullName())]) > 0
}

// RunTask starts a task, detached from its caller. One that runs already is
// left, as its default policy for further instances says.
func (m *Machine) RunTask(path, name string) error {
	t, err := m.Task(path, name)
	if err != nil {
		return err
	}
	if t.Disabled {
		return winerr.Of(winerr.ServiceDisabled, "run task", t.FullName())
	}
	ctx, err := m.running()
	if err != nil {
		return err
	}
	if m.TaskActive(t) && t.Instances != "Parallel" {
		return nil
	}
	return m.runTask(ctx, t)
}

func (m *Machine) runTask(ctx context.Context, t Task) error {
	if err := m.ChangeTask(t.Path, t.Name, func(t *Task) { t.LastRun, t.LastResult = time.Now().Add(m.state.Skew), TaskRunning }); err != nil {
		return err
	}
	p, err := m.launchAction(ctx, t)
	if err != nil {
		var code *winerr.Error
		result := winerr.FileNotFound.HResult()
		if errors.As(err, &code) {
			result = code.Code.HResult()
		}
		m.Log("task %s: %v", t.FullName(), err)
		return m.ChangeTask(t.Path, t.Name, func(t *Task) { t.LastResult = result })
	}
	key := strings.ToLower(t.FullName())
	m.tasks.Lock()
	if m.tasks.running == nil {
		m.tasks.running = map[string][]*Process{}
	}
	m.tasks.running[key] = append(m.tasks.running[key], p)
	m.tasks.Unlock()
	if !m.spawn(func(context.Context) { m.watchTask(t, p) }) {
		m.ended(t, p) // the machine goes down, and the process with it
	}
	return nil
}

// ended forgets a process of a task.
func (m *Machine) ended(t Task, p *Process) {
	key := strings.ToLower(t.FullName())
	m.tasks.Lock()
	defer m.tasks.Unlock()
	m.tasks.running[key] = slices.DeleteFunc(m.tasks.running[key], func(other *Process) bool { return other == p })
}

// launchAction starts the first action of a task; a task with more is not known.
func (m *Machine) launchAction(ctx context.Context, t Task) (*Process, error) {
	if len(t.Actions) != 1 {
		m.Unknown("scheduled task %s with %d actions", t.FullName(), len(t.Actions))
	}
	action, env := t.Actions[0], m.Environment(t.User)
	return m.Launch(ctx, Start{
		Program: strings.Trim(env.Expand(action.Execute), `"`), Args: SplitArgs(env.Expand(action.Arguments)),
		Line: action.Execute + " " + env.Expand(action.Arguments),
		Dir:  env.Expand(action.Dir), Env: env, User: t.User,
	})
}

// watchTask notes how a task ended.
func (m *Machine) watchTask(t Task, p *Process) {
	limit := cmp.Or(t.TimeLimit, 72*time.Hour)
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-p.Done():
	case <-expired:
		p.Kill()
	}
	code := p.Wait()
	m.ended(t, p)
	// A task that was deleted meanwhile has nothing to note it in.
	_ = m.ChangeTask(t.Path, t.Name, func(t *Task) { t.LastResult = code })
}

// StopTask ends what a task runs.
func (m *Machine) StopTask(path, name string) error {
	t, err := m.Task(path, name)
	if err != nil {
		return err
	}
	m.tasks.Lock()
	running := slices.Clone(m.tasks.running[strings.ToLower(t.FullName())])
	m.tasks.Unlock()
	for _, p := range running {
		p.Kill()
		p.Wait()
	}
	return nil
}

// startTasks starts the tasks of a boot and arms the others.
func (m *Machine) startTasks() {
	for _, t := range m.Tasks() {
		for _, trigger := range t.Triggers {
			if trigger.Kind == "Boot" && !t.Disabled {
				m.later(t, trigger.Delay)
			}
		}
		m.arm(t)
	}
}

// arm waits for the time of a task's triggers.
func (m *Machine) arm(t Task) {
	for _, trigger := range t.Triggers {
		if trigger.At.IsZero() || trigger.Kind == "Boot" || trigger.Kind == "Logon" {
			continue
		}
		wait := trigger.At.Sub(m.Now())
		switch {
		case trigger.Interval > 0:
			m.repeat(t, trigger, max(wait, trigger.Interval-(-wait)%trigger.Interval))
		case wait > 0:
			m.later(t, wait)
		}
	}
}

// repeat runs a task after some time and at the interval of its trigger, as long as it has the trigger.
func (m *Machine) repeat(t Task, trigger TaskTrigger, wait time.Duration) {
	m.spawn(func(ctx context.Context) {
		for ; pause(ctx, wait); wait = trigger.Interval {
			now, err := m.Task(t.Path, t.Name)
			if err != nil || !slices.Contains(now.Triggers, trigger) {
				return
			}
			if err := m.RunTask(t.Path, t.Name); err != nil && !now.Disabled {
				m.Log("task %s: %v", t.FullName(), err)
			}
		}
	})
}

// later runs a task after some time, if it is still there then.
func (m *Machine) later(t Task, wait time.Duration) {
	m.spawn(func(ctx context.Context) {
		if !pause(ctx, wait) {
			return
		}
		if now, err := m.Task(t.Path, t.Name); err == nil && !now.Disabled {
			if err := m.runTask(ctx, now); err != nil {
				m.Log("task %s: %v", t.FullName(), err)
			}
		}
	})
}

// Logon tells the tasks that wait for it that somebody has logged on.
func (m *Machine) Logon(sid string) {
	for _, t := range m.Tasks() {
		for _, trigger := range t.Triggers {
			if trigger.Kind == "Logon" && (trigger.User == "" || trigger.User == sid) && !t.Disabled {
				m.later(t, trigger.Delay)
			}
		}
	}
}

package report

import (
	"time"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine/event"
	"kinit/engine/lists"
)

// data is what the page's script knows. Names are short because there are
// thousands of tasks. Times are in milliseconds since the start of the run; tasks,
// hosts, stages and blocks are meant by their index.
type data struct {
	Length int64    `json:"length"`
	Hosts  []string `json:"hosts"`
	Stages []string `json:"stages"`
	Blocks []block  `json:"blocks"`
	Tasks  []task   `json:"tasks"`
	Sets   [][]int  `json:"sets,omitempty"` // of tasks: what several tasks wait for alike
	Scenes []scene  `json:"scenes"`
}

type block struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

type task struct {
	Address   string    `json:"a"`
	Host      int       `json:"h"`
	Stage     int       `json:"s"` // -1 without one
	Status    string    `json:"x"` // "unfinished" or "planned" where it has none
	Start     int64     `json:"t"`
	Took      int64     `json:"d"`
	Message   string    `json:"m,omitempty"`
	Block     int       `json:"b"` // -1 without one
	Needs     []int     `json:"n,omitempty"`
	Sets      []int     `json:"w,omitempty"`
	Critical  bool      `json:"c,omitempty"`
	Section   string    `json:"p,omitempty"`
	Arguments []value   `json:"args,omitempty"`
	Outputs   []value   `json:"outs,omitempty"`
	Steps     []step    `json:"steps,omitempty"`
	Attempts  []attempt `json:"tries,omitempty"`
	Problems  []*issue  `json:"problems,omitempty"`
}

type value struct {
	Name string `json:"n"`
	Text string `json:"v"`
	Cut  int    `json:"cut,omitempty"`
}

type step struct {
	Text string `json:"v"`
	Open bool   `json:"open,omitempty"` // it was begun, and not done
}

type attempt struct {
	Number int    `json:"n"`
	At     int64  `json:"t"`
	Text   string `json:"v"`
}

type issue struct {
	Summary string `json:"v"`
	Detail  string `json:"detail,omitempty"`
	Command string `json:"command,omitempty"`
	Code    int    `json:"code,omitempty"`
	Stdout  string `json:"stdout,omitempty"`
	Stderr  string `json:"stderr,omitempty"`
}

func newData(r *replay.Run, alike *replay.Alike) *data {
	d := &data{Length: r.Duration().Milliseconds(), Hosts: []string{}, Stages: []string{}, Blocks: []block{}, Tasks: []task{}, Scenes: []scene{}}
	hosts, stages := index{names: &d.Hosts, known: map[string]int{}}, index{names: &d.Stages, known: map[string]int{}}
	for _, s := range r.Plan.Stages {
		stages.of(s.Name)
	}
	for _, b := range r.Plan.Blocks {
		d.Blocks = append(d.Blocks, block{File: view.Clean(b.Range.File), Line: b.Range.Start.Line, Text: view.Clean(b.Text)})
	}
	for _, t := range r.Tasks {
		out := newTask(r, t, alike)
		out.Host, out.Stage = hosts.of(t.Host), -1
		if t.Stage != "" {
			out.Stage = stages.of(t.Stage)
		}
		d.Tasks = append(d.Tasks, out)
	}
	d.Sets = r.Plan.Sets
	d.Scenes = scenes(r)
	return d
}

// index numbers names in the order in which they come.
type index struct {
	names *[]string
	known map[string]int
}

func (x index) of(name string) int {
	i, ok := x.known[name]
	if !ok {
		i = len(*x.names)
		x.known[name] = i
		*x.names = append(*x.names, view.Clean(name))
	}
	return i
}

func newTask(r *replay.Run, t *replay.Task, alike *replay.Alike) task {
	out := task{
		Address: view.Clean(t.Address), Status: status(t), Took: t.Duration.Milliseconds(), Message: view.Clean(t.Message),
		Block: t.Block, Needs: t.Needs, Sets: t.Sets, Critical: t.Critical, Section: string(t.Section),
		Arguments: values(t.Arguments), Outputs: values(t.Outputs),
	}
	if !t.Started.IsZero() {
		out.Start = since(r, t.Started)
	}
	out.Steps = lists.Map(t.Steps, func(s replay.Step) step { return step{Text: view.Clean(s.Text), Open: !s.Done} })
	out.Attempts = lists.Map(t.Attempts, func(a replay.Attempt) attempt {
		return attempt{a.Number, since(r, a.Ended), view.Clean(a.Message)}
	})
	for _, p := range t.Problems {
		if first, repeats := alike.Repeats(p); repeats {
			out.Problems = append(out.Problems, &issue{Summary: view.Clean(p.Summary), Detail: view.Clean("The same as on " + first.Host + ", where it is described: " + first.Address)})
			continue
		}
		shown := newProblem(r, p)
		one := &issue{Summary: shown.Summary, Detail: shown.Detail, Stdout: shown.Stdout, Stderr: shown.Stderr}
		if shown.Command != nil {
			one.Command, one.Code = shown.Command.Line, shown.Command.Code
		}
		out.Problems = append(out.Problems, one)
	}
	return out
}

// status is how a task ended, or that it did not.
func status(t *replay.Task) string {
	switch {
	case t.Status != "":
		return string(t.Status)
	case t.Started.IsZero():
		return "planned"
	}
	return "unfinished"
}

func since(r *replay.Run, at time.Time) int64 { return max(0, at.Sub(r.Started).Milliseconds()) }

func values(all []event.Value) []value {
	return lists.Map(all, func(v event.Value) value {
		return value{Name: view.Clean(v.Name), Text: view.Clean(v.Text), Cut: v.Cut}
	})
}

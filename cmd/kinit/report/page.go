package report

import (
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"
	"time"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/view"
	"kinit/engine"
	"kinit/engine/event"
)

// The most that stands in the page without being asked for.
const (
	mostProblems = 20
	mostCritical = 12
	mostLines    = 24 // of a block that a problem shows
)

// page is what the template shows.
type page struct {
	Run          *replay.Run
	Style        template.CSS
	Script       template.JS
	Policy       string
	Title        string
	Verdict      string // a sentence
	Class        string // good, bad or open
	Removals     []string
	Error        *problem
	Others       []*problem
	MoreProblems int
	Topology     template.HTML // of the cluster; empty without one
	Counts       []count
	Stages       []stage
	Hosts        []engine.HostCounts
	Critical     []critical
	CriticalMore int
	CriticalTime time.Duration
	Facts        []fact
	Variables    []fact
	Outputs      []fact
	Data         *data
}

type fact struct{ Name, Text string }

type count struct {
	Status event.Status
	N      int
}

// stage is a stage's line: shares are percent of the run.
type stage struct {
	Name          string
	Took          time.Duration
	Tasks         int
	From, Percent float64
	Failed        bool
}

// critical is one task of the path that took the time.
type critical struct {
	Task    *replay.Task
	Percent float64
}

func newPage(r *replay.Run) *page {
	p := &page{Run: r, Title: view.Clean(r.Header.Spec) + ": " + string(r.Verdict), Verdict: sentence(r), Class: class(r.Verdict)}
	for _, s := range []event.Status{event.Changed, event.OK, event.Failed, event.Unreachable, event.Skipped} {
		p.Counts = append(p.Counts, count{s, r.Counts[s]})
	}
	p.Hosts = r.Hosts
	alike := r.Alike()
	for _, one := range r.Removals {
		p.Removals = append(p.Removals, view.Clean(one.String()))
	}
	p.addProblems(alike)
	p.addStages()
	p.addCritical()
	p.addFacts()
	p.Data = newData(r, alike)
	return p
}

func class(v replay.Verdict) string {
	switch {
	case v == replay.Running || v == replay.Pending:
		return "open"
	case v.Good():
		return "good"
	}
	return "bad"
}

// sentence is the verdict in words.
func sentence(r *replay.Run) string {
	took := view.Seconds(r.Duration())
	words := map[replay.Verdict]string{
		replay.OK:          "Done in " + took,
		replay.Failed:      "Failed after " + took,
		replay.Invalid:     "The spec is not valid, nothing was done",
		replay.Pending:     "Changes are pending",
		replay.Unreachable: "Failed after " + took + ": a host was not reachable",
		replay.Interrupted: "Interrupted after " + took,
		replay.Running:     "Still running, for " + took,
		replay.Died:        "Broken off after " + took + ": the program ended before the run",
	}
	return words[r.Verdict]
}

// addProblems puts the error that happened first at the top, and the others after
// it. What several hosts share is shown once.
func (p *page) addProblems(alike *replay.Alike) {
	first := p.Run.FirstError()
	for _, g := range alike.Groups {
		if first != nil && p.Error == nil && g.First.Address == first.Address && g.First.Summary == first.Summary && g.First.Detail == first.Detail {
			p.Error = newGroup(p.Run, g)
			continue
		}
		if len(p.Others) == mostProblems {
			p.MoreProblems++
			continue
		}
		p.Others = append(p.Others, newGroup(p.Run, g))
	}
}

func (p *page) addStages() {
	whole := p.Run.Duration()
	failed := map[string]bool{}
	for _, t := range p.Run.Tasks {
		if t.Status == event.Failed || t.Status == event.Unreachable {
			failed[t.Stage] = true
		}
	}
	for _, s := range p.Run.Stages {
		p.Stages = append(p.Stages, stage{
			Name: view.Clean(s.Stage), Took: s.Duration, Tasks: s.Tasks, Failed: failed[s.Stage],
			From: percent(s.Started.Sub(p.Run.Started), whole), Percent: max(0.4, percent(s.Duration, whole)),
		})
	}
}

// addCritical lists the longest tasks of the path, in the order of the path.
func (p *page) addCritical() {
	path := slices.Clone(p.Run.Critical)
	for _, t := range path {
		p.CriticalTime += t.Duration
	}
	slices.SortStableFunc(path, func(a, b *replay.Task) int { return int(b.Duration - a.Duration) })
	longest := path[:min(len(path), mostCritical)]
	p.CriticalMore = len(path) - len(longest)
	slices.SortStableFunc(longest, func(a, b *replay.Task) int { return a.Started.Compare(b.Started) })
	for _, t := range longest {
		p.Critical = append(p.Critical, critical{Task: t, Percent: percent(t.Duration, p.Run.Duration())})
	}
}

func (p *page) addFacts() {
	h := p.Run.Header
	add := func(name, text string) {
		if text != "" {
			p.Facts = append(p.Facts, fact{name, view.Clean(text)})
		}
	}
	add("Spec", h.Spec)
	add("Cluster", p.Run.Plan.Cluster)
	add("Started", h.Started.UTC().Format("2006-01-02 15:04:05 UTC"))
	add("Command", h.Command)
	add("Asked for hosts", strings.Join(h.Hosts, ", "))
	add("Hosts", hosts(p.Run.Plan.Hosts))
	add("kinit", h.Program)
	add("Run", p.Run.ID)
	unread := p.Run.Damaged
	if p.Run.Torn {
		unread++
	}
	if unread > 0 {
		add("Log", fmt.Sprintf("%d lines could not be read", unread))
	}
	for _, name := range slices.Sorted(maps.Keys(p.Run.Plan.Variables)) {
		p.Variables = append(p.Variables, fact{name, view.Clean(p.Run.Plan.Variables[name])})
	}
	for _, o := range p.Run.Outputs {
		text := view.Clean(o.Value)
		if o.Sensitive {
			text = "(sensitive)"
		}
		p.Outputs = append(p.Outputs, fact{view.Clean(o.Name), text})
	}
}

func hosts(all []event.Host) string {
	var names []string
	for _, h := range all {
		name := h.Name
		if h.Address != "" && h.Address != h.Name {
			name += " (" + h.Address + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

func percent(part, whole time.Duration) float64 {
	if whole <= 0 {
		return 0
	}
	return min(100, max(0, float64(part)/float64(whole)*100))
}

// functions are what the template may call.
var functions = template.FuncMap{
	"duration": view.Seconds,
	"clean":    view.Clean,
	"icon":     icon,
	"fixed":    func(f float64) string { return fmt.Sprintf("%.2f", f) },
	"round":    func(f float64) string { return fmt.Sprintf("%.0f", f) },
}

// icon stands beside a status, so that colour is not all that tells them apart.
func icon(s event.Status) string {
	return map[event.Status]string{
		event.OK: "✓", event.Changed: "●", event.Failed: "✕", event.Unreachable: "⚠", event.Skipped: "↷",
	}[s]
}

package spec

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/graph"
)

func (l *loader) readStage(b *hclsyntax.Block) {
	args, _ := l.content(b, []string{"after", "serial", "max_fail"}, nil)
	s := &Stage{In: l.in, Name: b.Labels[0], Serial: args["serial"], MaxFail: args["max_fail"], Range: b.DefRange()}
	if l.literal(args["after"], &s.After) {
		s.afterRange = args["after"].Range()
	}
	l.spec.Stages = append(l.spec.Stages, s)
}

// mergeStages merges the stages that several namespaces declare with the same name.
func (l *loader) mergeStages() {
	byName := map[string]*Stage{}
	var all []*Stage
	for _, s := range l.spec.Stages {
		if first := byName[s.Name]; first != nil {
			first.Others = append(first.Others, s)
			continue
		}
		byName[s.Name] = s
		all = append(all, s)
	}
	l.spec.Stages = all
}

// Declarations lists the declarations of the stage in all namespaces.
func (s *Stage) Declarations() []*Stage { return append([]*Stage{s}, s.Others...) }

// checkStages reports stages that are not declared or come after themselves, and sorts the
// stages.
func (l *loader) checkStages() {
	byName := map[string]*Stage{}
	order := &graph.Graph[string]{}
	for _, s := range l.spec.Stages {
		byName[s.Name] = s
		order.Add(s.Name)
	}
	known := keys(byName)
	for _, s := range l.spec.Stages {
		for _, d := range s.Declarations() {
			for _, after := range d.After {
				if byName[after] == nil {
					l.Errorf(d.afterRange, "Unknown stage", "Stage %q comes after stage %q, which is not declared.%s", s.Name, after, stageLike(after, slices.DeleteFunc(slices.Clone(known), func(name string) bool { return name == s.Name })))
					continue
				}
				order.Connect(s.Name, after)
				if d != s && !slices.Contains(s.After, after) {
					s.After = append(s.After, after)
				}
			}
		}
	}
	reported := map[hcl.Range]bool{}
	for _, t := range l.spec.Tasks {
		if t.Stage != "" && byName[t.Stage] == nil && !reported[t.stageRange] {
			reported[t.stageRange] = true // once for the tasks of a block
			l.Errorf(t.stageRange, "Unknown stage", "There is no stage %q.%s", t.Stage, stageLike(t.Stage, known))
		}
		if byName[t.Stage] == nil {
			t.Stage = ""
		}
	}
	if l.cyclicStages(byName, order) {
		return
	}
	l.spec.Stages = l.spec.Stages[:0]
	for _, name := range order.Order() {
		l.spec.Stages = append(l.spec.Stages, byName[name])
	}
}

// stageLike offers the stages that there are, or says how one is declared.
func stageLike(name string, known []string) string {
	return cmp.Or(diag.NearOrAll(name, known), fmt.Sprintf(" Declare it, as in: stage %q {}", name))
}

func (l *loader) cyclicStages(byName map[string]*Stage, order *graph.Graph[string]) bool {
	cycles, ok := errors.AsType[*graph.CycleError[string]](order.Validate())
	if !ok {
		return false
	}
	for _, cycle := range cycles.Cycles {
		l.Errorf(byName[cycle[0]].Range, "Stages in a cycle", "Each of these stages comes after the next one: %s, %s. Leave the after of one of them out.", strings.Join(cycle, ", "), cycle[0])
	}
	return true
}

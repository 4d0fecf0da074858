package spec

import (
	"errors"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/diag"
	"kinit/engine/graph"
)

func (l *loader) readStage(b *hclsyntax.Block) {
	if !l.claim("stage", "stage."+b.Labels[0], b.DefRange()) {
		return
	}
	args, _ := l.content(b, []string{"after", "serial", "max_fail"}, nil)
	s := &Stage{Name: b.Labels[0], Serial: args["serial"], MaxFail: args["max_fail"], Range: b.DefRange()}
	if l.literal(args["after"], &s.After) {
		s.afterRange = args["after"].Range()
	}
	l.spec.Stages = append(l.spec.Stages, s)
}

// checkStages tells of stages that are not declared or come after themselves, and
// puts the stages in order.
func (l *loader) checkStages() {
	byName := map[string]*Stage{}
	for _, s := range l.spec.Stages {
		byName[s.Name] = s
	}
	known := keys(byName)
	order := &graph.Graph[string]{}
	for _, s := range l.spec.Stages {
		order.Add(s.Name)
	}
	for _, s := range l.spec.Stages {
		for _, after := range s.After {
			if byName[after] == nil {
				l.errorf(s.afterRange, "Unknown stage", "Stage %q comes after stage %q, which is not declared.%s", s.Name, after, diag.Near(after, known))
				continue
			}
			order.Connect(s.Name, after)
		}
	}
	told := map[hcl.Range]bool{}
	for _, t := range l.spec.Tasks {
		if t.Stage != "" && byName[t.Stage] == nil && !told[t.stageRange] {
			told[t.stageRange] = true // once for the tasks of a block
			l.errorf(t.stageRange, "Unknown stage", "There is no stage %q.%s", t.Stage, diag.Near(t.Stage, known))
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

// cyclicStages tells of stages that come after themselves.
func (l *loader) cyclicStages(byName map[string]*Stage, order *graph.Graph[string]) bool {
	var cycles *graph.CycleError[string]
	if !errors.As(order.Validate(), &cycles) {
		return false
	}
	for _, cycle := range cycles.Cycles {
		l.errorf(byName[cycle[0]].Range, "Stages in a cycle", "Each of these stages comes after the next one: %s, %s.", strings.Join(cycle, ", "), cycle[0])
	}
	return true
}

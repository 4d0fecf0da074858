package plan

import (
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"

	"kinit/engine/diag"
	"kinit/engine/event"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/plan/refs"
	"kinit/engine/internal/spec"
)

// Describe returns the plan's graph as data. The order of stages is that of the spec.
func (p *Plan) Describe(stages []*spec.Stage) *event.Plan {
	d := &describer{plan: p, out: &event.Plan{Cluster: p.Cluster}, tasks: map[string]int{}, blocks: map[*refs.Block]int{}}
	for _, s := range stages {
		d.out.Stages = append(d.out.Stages, event.Stage{Name: s.Name, After: s.After})
	}
	d.section(p.Main, event.Main)
	d.section(p.OnFailure, event.OnFailure)
	d.section(p.Always, event.Always)
	return d.out
}

// describer is the state of one Describe.
type describer struct {
	plan   *Plan
	out    *event.Plan
	tasks  map[string]int // indices by address
	blocks map[*refs.Block]int
}

// section adds its tasks, and then the edges between them.
func (d *describer) section(s Section, kind event.Section) {
	first := len(d.out.Tasks)
	for _, t := range s.Tasks {
		d.tasks[t.Address] = len(d.out.Tasks)
		d.out.Tasks = append(d.out.Tasks, event.Task{
			Address: t.Address, Module: t.Module, Host: t.Host, Stage: t.Stage, Section: kind, Block: d.block(t.Block),
		})
	}
	waiting := s.Waiting()
	sets := len(d.out.Sets)
	for i := first; i < len(d.out.Tasks); i++ {
		needs, in := waiting.Of(d.out.Tasks[i].Address)
		d.out.Tasks[i].Needs = d.indices(needs)
		for _, n := range in {
			d.out.Tasks[i].Sets = append(d.out.Tasks[i].Sets, sets+n)
		}
	}
	for _, set := range waiting.Sets {
		d.out.Sets = append(d.out.Sets, d.indices(set))
	}
}

func (d *describer) indices(addresses []string) []int {
	var all []int
	for _, address := range addresses {
		all = append(all, d.tasks[address])
	}
	slices.Sort(all)
	return all
}

// block adds a task block once, and returns its index.
func (d *describer) block(b *refs.Block) int {
	if i, ok := d.blocks[b]; ok {
		return i
	}
	i := len(d.out.Blocks)
	d.blocks[b] = i
	d.out.Blocks = append(d.out.Blocks, d.text(b))
	return i
}

// text returns a block as written in its file, with secrets masked.
func (d *describer) text(b *refs.Block) event.Block {
	whole := hcl.RangeBetween(b.Spec.Range, b.Spec.Args.EndRange)
	out := event.Block{Range: diag.Place(whole)}
	file := d.plan.Sources[whole.Filename]
	if file == nil || whole.End.Byte > len(file.Bytes) {
		return out
	}
	start := strings.LastIndexByte(string(file.Bytes[:whole.Start.Byte]), '\n') + 1
	end := whole.End.Byte
	if n := strings.IndexByte(string(file.Bytes[end:]), '\n'); n >= 0 {
		end += n
	} else {
		end = len(file.Bytes)
	}
	out.Text = masked(file.Bytes, start, end, decode.SecretLiterals(b.Spec.Args, b.Kind.New()))
	return out
}

// masked returns a part of a file with some ranges replaced by asterisks. The line numbers
// do not change.
func masked(file []byte, start, end int, hide []hcl.Range) string {
	var text strings.Builder
	for _, r := range hide {
		if r.Start.Byte < start || r.End.Byte > end {
			continue
		}
		text.Write(file[start:r.Start.Byte])
		text.WriteString("***")
		text.WriteString(strings.Repeat("\n", strings.Count(string(file[r.Start.Byte:r.End.Byte]), "\n")))
		start = r.End.Byte
	}
	text.Write(file[start:end])
	return text.String()
}

package plan

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
)

// A task that refers to all instances of a block has one edge, to a virtual key
// that stands for them. A thousand tasks that each refer to a thousand are two
// thousand edges so, and not a million.

// all is the key that needs every instance of the block to succeed, and ended the
// one that only comes after them.
func (b *block) all() string   { return b.spec.Address() + allSuffix }
func (b *block) ended() string { return b.spec.Address() + endedSuffix }

const (
	allSuffix   = "[*]"
	endedSuffix = "[*] ended"
)

// isWhole tells whether a key stands for the instances of a block. Those of
// instances end with a quoted key.
func isWhole(key string) bool {
	return strings.HasSuffix(key, allSuffix) || strings.HasSuffix(key, endedSuffix)
}

// wholly tells whether a task means all instances of a block alike: it is in no
// batch, and neither it nor the other is done for the other's sake.
func (t *Task) wholly(ref reference) bool {
	return ref.block != nil && ref.task == nil && len(ref.block.instances) > 1 && t.Role == Normal &&
		t.group.rolling == nil && (!t.Handler || !ref.block.spec.Handler)
}

// noteWhole remembers which blocks tasks refer to as a whole, so that their keys are
// visited in their place.
func (b *builder) noteWhole() {
	for _, block := range b.blocks.order {
		for _, t := range block.instances {
			for _, refs := range []references{t.reads, t.after} {
				for _, ref := range refs {
					if t.wholly(ref) {
						ref.block.whole = true
					}
				}
			}
		}
	}
}

// whole is what the key of a block's instances stands for in a section.
type whole struct {
	inside  bool    // some of the instances are in the section
	outside []*Task // those that are not
}

// wholeOf makes a block's key, once.
func (e *edges) wholeOf(block *block, key string, member func(t *Task) bool, connect func(from, to string, at hcl.Range)) *whole {
	if w := e.wholes[key]; w != nil {
		return w
	}
	w := &whole{}
	for _, need := range block.instances {
		if !member(need) {
			w.outside = append(w.outside, need)
			continue
		}
		w.inside = true
		connect(key, need.Address, need.Range)
	}
	e.wholes[key] = w
	return w
}

// connectWhole adds the edge of a task to all instances of a block.
func (b *builder) connectWhole(e *edges, t *Task, ref reference, member func(t *Task) bool, soft bool) {
	key, connect := ref.block.all(), e.connect
	if soft {
		key, connect = ref.block.ended(), e.follow
	}
	w := e.wholeOf(ref.block, key, member, connect)
	if w.inside {
		connect(t.Address, key, ref.at)
	}
	for _, need := range w.outside {
		b.connectNeed(e, t, need, ref.at, member, soft)
	}
}

// connectAfter adds the edges of a task to what an element of its depends_on means.
func (b *builder) connectAfter(e *edges, t *Task, ref reference, member func(t *Task) bool) {
	if t.wholly(ref) {
		own := ref.block.forHost(t.For)
		apart := t.block.spread() && len(own) > 0
		if apart {
			for _, need := range own {
				b.connectNeed(e, t, need, ref.at, member, ref.soft)
			}
		}
		if !apart || len(own) < len(ref.block.instances) {
			b.connectWhole(e, t, ref, member, ref.soft || apart)
		}
		return
	}
	must, may := t.narrow(ref)
	for _, need := range must {
		b.connectNeed(e, t, need, ref.at, member, false)
	}
	for _, need := range may {
		b.connectNeed(e, t, need, ref.at, member, true)
	}
}

// Needs returns what a key of the section's graph depends on or follows directly:
// tasks, and the begin and end of stages and batches.
func (s Section) Needs(key string) []string {
	var all []string
	seen := map[string]bool{}
	for _, need := range s.Graph.Needs(key) {
		means := []string{need}
		if isWhole(need) {
			means = s.Graph.Needs(need)
		}
		for _, one := range means {
			if !seen[one] {
				seen[one] = true
				all = append(all, one)
			}
		}
	}
	return all
}

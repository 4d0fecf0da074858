package plan

import "kinit/engine/internal/spec"

// roleOf is what a task is for in its block.
func roleOf(s *spec.Task) Role {
	switch {
	case s.Block == nil:
		return Normal
	case s.OnFailure:
		return Rescue
	case s.Always:
		return Cleanup
	}
	return Normal
}

// watchMembers says for the tasks of blocks that are for failures, or done always,
// which of the others they come after: those for their host, or all of them.
func (b *builder) watchMembers() {
	members := map[*spec.Block][]*Task{}
	for _, t := range b.blocks.tasksInOrder() {
		if s := t.block.spec.Block; s != nil {
			members[s] = append(members[s], t)
		}
	}
	for _, all := range members {
		for _, t := range all {
			if t.Role != Normal {
				t.Watches = t.before(all)
			}
		}
	}
}

// before lists the members of a block that a task with a role comes after.
func (t *Task) before(members []*Task) []*Task {
	var all []*Task
	for _, other := range t.inBatch(members) {
		if other.Role < t.Role {
			all = append(all, other)
		}
	}
	own, _ := t.ownHost(all)
	return own
}

// follows tells whether a task needs another only to have ended: it has a role in
// the block of both.
func (t *Task) follows(other *Task) bool {
	return t.Role > other.Role && t.block.spec.Block == other.block.spec.Block
}

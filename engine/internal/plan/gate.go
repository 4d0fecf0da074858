package plan

// Gate is the end of a stage or of a batch of hosts. What comes after it is done
// when no more of the hosts failed than may.
type Gate struct {
	Key     string
	Label   string  // such as: batch 1 of 3 of stage "web"
	Tasks   []*Task // whose hosts count
	MaxFail int     // how many hosts may fail; those that did are left out from then on
}

// addGroup connects a group's tasks and handlers with its begin and its end.
func (e *edges) addGroup(g *group) {
	e.connect(g.end(), g.begin(), g.at)
	for _, t := range g.tasks {
		e.connect(t.Address, g.begin(), t.Range)
		e.follow(g.end(), t.Address, t.Range)
	}
	e.addHandlers(g)
	for _, h := range g.handlers {
		e.follow(g.end(), h.Address, h.Range)
	}
	gate := &Gate{Key: g.end(), Label: g.label, MaxFail: g.maxFail}
	gate.Tasks = append(append(gate.Tasks, g.tasks...), g.handlers...)
	e.gates[gate.Key] = gate
}

// addHandlers puts handlers after all other tasks of the group, and after those
// handlers that notify them.
func (e *edges) addHandlers(g *group) {
	handlers := g.atEnd()
	if len(handlers) == 0 {
		return
	}
	for _, t := range g.tasks {
		e.follow(g.barrier(), t.Address, t.Range)
	}
	for _, h := range handlers {
		e.connect(h.Address, g.barrier(), h.Range)
		for _, t := range h.Watches {
			if t.Handler {
				e.follow(h.Address, t.Address, t.block.spec.Notify.Range())
			}
		}
	}
}

// addBatches puts each batch after the one before.
func (e *edges) addBatches(r *rolling, stage *group) {
	for i, g := range r.batches {
		e.addGroup(g)
		switch {
		case i > 0:
			e.connect(g.begin(), r.batches[i-1].end(), r.at)
		case stage != nil:
			e.connect(g.begin(), stage.begin(), r.at)
		}
		if stage != nil {
			e.connect(stage.end(), g.end(), r.at)
		}
	}
}

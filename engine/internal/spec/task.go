package spec

import "github.com/hashicorp/hcl/v2/hclsyntax"

// isMeta tells whether an argument of a task is the engine's, not the module's.
func isMeta(name string) bool {
	switch name {
	case "stage", "host", "hosts", "for_each", "when", "depends_on", "timeout", "on_failure", "always":
		return true
	}
	return false
}

func (l *loader) readTask(b *hclsyntax.Block) {
	t := &Task{Module: b.Labels[0], Name: b.Labels[1], ModuleRange: b.LabelRanges[0], Range: b.DefRange()}
	if !l.claim("task", t.Address(), b.DefRange()) {
		return
	}
	meta := arguments{}
	for name, attr := range b.Body.Attributes {
		if isMeta(name) {
			meta[name] = attr.Expr
		}
	}
	if l.literal(meta["stage"], &t.Stage) {
		t.stageRange = meta["stage"].Range()
	}
	l.literal(meta["always"], &t.Always)
	l.literal(meta["on_failure"], &t.OnFailure)
	t.Host, t.Hosts, t.ForEach = meta["host"], meta["hosts"], meta["for_each"]
	t.When, t.DependsOn, t.Timeout = meta["when"], meta["depends_on"], meta["timeout"]
	t.Retry = l.retry(b.Body.Blocks)
	t.Args = moduleArguments(b.Body)
	l.conflicts(t)
	l.spec.Tasks = append(l.spec.Tasks, t)
}

// conflicts tells of meta-arguments that cannot be used together.
func (l *loader) conflicts(t *Task) {
	if t.Hosts != nil && t.Host != nil {
		l.errorf(t.Hosts.Range(), "Conflicting arguments", "A task has host or hosts, not both.")
	}
	if t.Hosts != nil && t.ForEach != nil {
		l.errorf(t.Hosts.Range(), "Conflicting arguments", "A task has hosts or for_each, not both: with for_each, host may differ for each instance.")
	}
	if t.Always && t.OnFailure {
		l.errorf(t.Range, "Conflicting arguments", "A task with always is done after a failure too; leave out on_failure.")
	}
}

// retry reads the retry block, if there is one.
func (l *loader) retry(blocks hclsyntax.Blocks) *Retry {
	var retry *Retry
	for _, b := range blocks {
		if b.Type != "retry" {
			continue
		}
		if retry != nil {
			l.errorf(b.DefRange(), "Duplicate block", "A task has one retry block.")
			continue
		}
		if len(b.Labels) > 0 {
			l.errorf(b.DefRange(), "Wrong labels", "A retry block has no label.")
		}
		args, _ := l.content(b, []string{"attempts!", "delay"}, nil)
		retry = &Retry{Attempts: args["attempts"], Delay: args["delay"], Range: b.DefRange()}
	}
	return retry
}

// moduleArguments is a task's body without what is the engine's.
func moduleArguments(body *hclsyntax.Body) *hclsyntax.Body {
	rest := &hclsyntax.Body{Attributes: hclsyntax.Attributes{}, SrcRange: body.SrcRange, EndRange: body.EndRange}
	for name, attr := range body.Attributes {
		if !isMeta(name) {
			rest.Attributes[name] = attr
		}
	}
	for _, b := range body.Blocks {
		if b.Type != "retry" {
			rest.Blocks = append(rest.Blocks, b)
		}
	}
	return rest
}

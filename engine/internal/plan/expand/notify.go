package expand

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
)

// notices finds who notifies whom.
type notices struct {
	*Early
	*Set
}

// find finds which handlers every block notifies, and warns of handlers that no block
// notifies. One that listens to a topic may be for other playbooks.
func (x *notices) find() {
	used, before := map[*Block]bool{}, len(x.Diags)
	for _, block := range x.Blocks {
		block.Notifies = x.notified(block)
		for _, n := range block.Notifies {
			used[n.Handler] = true
		}
	}
	if len(x.Diags) > before {
		return // an error in a notify may be the reason
	}
	for _, block := range x.Blocks {
		if block.Spec.Handler && !used[block] && len(block.Spec.Listen) == 0 {
			x.Tell(diag.List{{Warning: true, Summary: "Unused handler", Subject: &block.Spec.Range,
				Detail: "No task notifies " + block.Spec.Address() + ", so it is never done."}})
		}
	}
}

// notified evaluates notify, a list of handlers and topics. All instances of the block notify the
// same handlers.
func (x *notices) notified(block *Block) []Notice {
	s := block.Spec
	if s.Notify == nil {
		return nil
	}
	var all []Notice
	seen := map[*Block]bool{}
	add := func(handlers []*Block, at hcl.Range) {
		for _, handler := range handlers {
			if !seen[handler] {
				seen[handler] = true
				all = append(all, Notice{Handler: handler, At: at})
			}
		}
	}
	elements, problems := hcl.ExprList(s.Notify)
	if problems.HasErrors() {
		add(x.topics(block, s.Notify, cty.List(cty.String)), s.Notify.Range())
		return all
	}
	for _, e := range elements {
		if !names(e) {
			add(x.topics(block, e, cty.String), e.Range())
			continue
		}
		handlers, diags := x.Handlers(block.Namespace, e, "Invalid notify")
		x.Tell(diags)
		add(handlers, e.Range())
	}
	return all
}

// names reports whether an element of notify is a reference to a handler, or is meant to be one.
func names(e hcl.Expression) bool {
	traversal, problems := hcl.AbsTraversalForExpr(e)
	if problems.HasErrors() {
		_, indexed := e.(*hclsyntax.IndexExpr)
		_, splat := e.(*hclsyntax.SplatExpr)
		return indexed || splat
	}
	root := traversal.RootName()
	return root != "var" && root != "local"
}

// topics lists the handlers that listen to a topic, or to those of a list, in all imports. Null
// notifies none: a variable that an importer leaves out.
func (x *notices) topics(block *Block, e hcl.Expression, kind cty.Type) []*Block {
	if names(e) {
		x.Errorf(e.Range(), "Invalid notify", "Give a list of handlers, as in: notify = [handler.service.web]")
		return nil
	}
	for _, t := range e.Variables() {
		if root := t.RootName(); root == "host" || root == "each" {
			x.Errorf(t.SourceRange(), "Invalid notify", "All instances of a task notify the same handlers, so notify cannot refer to %s. A handler is done on the host of the instance that changed something.", root)
			return nil
		}
	}
	value, ok := x.Open(block.Namespace, "notify", e, block.Namespace.Context(block.Spec.Range.Filename))
	if !ok || value.IsNull() {
		return nil
	}
	converted, err := eval.Convert(value, kind)
	if err != nil || converted.IsNull() {
		x.Errorf(e.Range(), "Invalid notify", "Give a list of handlers and topics, as in: notify = [handler.service.web, \"certificate changed\"]")
		return nil
	}
	if kind == cty.String {
		return x.listening(e, converted)
	}
	var all []*Block
	for _, topic := range converted.AsValueSlice() {
		all = append(all, x.listening(e, topic)...)
	}
	return all
}

// listening lists the handlers that listen to one topic.
func (x *notices) listening(e hcl.Expression, value cty.Value) []*Block {
	if value.IsNull() {
		return nil
	}
	topic := value.AsString()
	if !slices.Contains(x.Spec.Topics, topic) {
		x.Errorf(e.Range(), "Unknown topic", "No handler listens to %q.%s A handler itself is named without quotes, as in handler.service.web.", topic, diag.Near(topic, x.Spec.Topics))
		return nil
	}
	var all []*Block
	for _, block := range x.Blocks {
		if slices.Contains(block.Spec.Listen, topic) {
			all = append(all, block)
		}
	}
	return all
}

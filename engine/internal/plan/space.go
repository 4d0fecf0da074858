package plan

import (
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/eval"
	"kinit/engine/internal/spec"
)

// space is a namespace with what names mean in it.
type space struct {
	*blocks
	spec      *spec.Namespace
	eval      *eval.Scope
	secrets   map[string]*block // those that tasks make, by the name of the secret
	made      map[string]bool   // the names of those
	decrypted map[string]cty.Value
	inputs    map[string]*relay            // variables whose values may need those of tasks
	imports   map[string]map[string]*relay // outputs, by label of the import
	nothing   map[string]cty.Value         // what task and secret mean without any reference
}

// declareSpaces makes the namespaces of the spec.
func (b *builder) declareSpaces(names *spec.Namespace, scope *eval.Scope) *space {
	s := &space{
		blocks: b.blocks, spec: names, eval: scope, secrets: map[string]*block{}, made: map[string]bool{},
		decrypted: scope.Secrets(), inputs: map[string]*relay{}, imports: map[string]map[string]*relay{},
	}
	b.spaces[names] = s
	s.nothing = map[string]cty.Value{"task": cty.EmptyObjectVal, "secret": cty.ObjectVal(s.decrypted)}
	for _, secret := range names.Secrets {
		s.made[secret.Name] = secret.Task != nil
	}
	scopes := scope.Imports()
	for _, inner := range names.Imports {
		b.declareImport(s, b.declareSpaces(inner, scopes[inner.Label]))
	}
	return s
}

// declareImport makes the relays between an importer and what it imports.
func (b *builder) declareImport(outer, inner *space) {
	outputs := map[string]*relay{}
	for _, o := range inner.spec.Outputs {
		outputs[o.Name] = &relay{space: inner, expr: o.Value, name: inner.spec.Path() + "." + o.Name, give: inner.output(o)}
		b.relays = append(b.relays, outputs[o.Name])
	}
	outer.imports[inner.spec.Label] = outputs
	waiting := inner.eval.Waiting()
	for _, v := range inner.spec.Variables {
		if w := waiting[v.Name]; w != nil {
			inner.inputs[v.Name] = &relay{space: outer, expr: w.Expr, name: inner.spec.Address("var." + v.Name), give: w.Value}
			b.relays = append(b.relays, inner.inputs[v.Name])
		}
	}
}

// context is what expressions in a file may refer to outside of a task.
func (s *space) context(file string) *hcl.EvalContext { return s.eval.Context(file) }

// title names the namespace in messages.
func (s *space) title() string {
	if path := s.spec.Path(); path != "" {
		return path
	}
	return "the playbook"
}

// own lists the blocks of the namespace itself.
func (s *space) own() []*block {
	return slices.DeleteFunc(slices.Clone(s.order), func(b *block) bool { return b.spec.In != s.spec })
}

// names lists the names of a module's tasks, or of its handlers.
func (s *space) names(root, module string) []string {
	var names []string
	for _, block := range s.own() {
		if block.root() == root && block.spec.Module == module {
			names = append(names, block.spec.Name)
		}
	}
	return names
}

// references lists how all tasks, or all handlers, are referred to.
func (s *space) references(root string) []string {
	var all []string
	for _, block := range s.own() {
		if block.root() == root {
			all = append(all, block.reference())
		}
	}
	return all
}

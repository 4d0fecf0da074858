package spec

import (
	"slices"

	"kinit/engine/diag"
)

// readImports reads the imported folders, and their imports: without a label once in each
// namespace, with a label each time into a new namespace.
func (l *loader) readImports() {
	for len(l.imports) > 0 {
		next := l.imports[0]
		l.imports = l.imports[1:]
		folder, diags := l.folder(next.source, next.folder, next.at)
		l.Tell(diags)
		if folder == "" {
			continue
		}
		next.folder, l.in = folder, next.in
		if next.label != "" && !l.enter(next) {
			continue
		}
		if next.label == "" {
			l.given = append(l.given, next)
		}
		l.readFolder(folder)
	}
	l.in = l.spec.Root
}

// enter makes the namespace of an import with a label, unless the folder imports itself.
func (l *loader) enter(block importBlock) bool {
	for outer := block.in; outer != nil; outer = outer.Parent {
		if outer.Source == block.folder {
			l.Errorf(block.at, "Imports in a cycle", "The playbook %q imports itself: this import is in what is read from %s already.", block.source, block.folder)
			return false
		}
	}
	inner := newNamespace(block.in, block.label)
	inner.Source, inner.Range, inner.Vars, inner.Block = block.folder, block.header, block.inputs, block.block
	inner.ForEach = block.forEach
	inner.common = inner.give(block.common)
	block.in.Imports = append(block.in.Imports, inner)
	l.in = inner
	return true
}

// checkInputs collects the values that imports without a label give to variables, and
// reports variables that the imported folder does not have, or that got a value from
// another import.
func (l *loader) checkInputs() {
	for _, given := range l.given {
		var names []string
		for _, v := range given.in.Variables {
			if Folder(v.Range.Filename) == given.folder {
				names = append(names, v.Name)
			}
		}
		for _, name := range keys(given.inputs) {
			expr := given.inputs[name]
			switch first := given.in.Inputs[name]; {
			case !slices.Contains(names, name):
				l.Errorf(NameRange(expr), "Unknown variable", "The playbook %q has no variable %q.%s", given.source, name, diag.Near(name, names))
			case first != nil:
				l.Errorf(expr.Range(), "Duplicate input", "The variable %q has a value from another import already, at %s.", name, first.Range())
			default:
				given.in.Inputs[name] = expr
			}
		}
	}
}

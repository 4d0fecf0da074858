package spec

import (
	"maps"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func (l *loader) readHeader(b *hclsyntax.Block) {
	if !l.claim("spec", "spec", b.DefRange()) {
		return
	}
	l.spec.Name, l.spec.Identity, l.spec.Range = b.Labels[0], b.Labels[0], b.DefRange()
	args, _ := l.content(b, []string{"playbook", "owner", "vars"}, nil)
	l.spec.Root.Vars = l.values("vars", "variables", args["vars"])
	if l.literal(args["playbook"], &l.playbook) {
		l.playbookRange = args["playbook"].Range()
	}
	l.spec.Owner = args["owner"]
}

// values splits an object with values of variables, or of what else has names.
func (l *loader) values(argument, of string, expr hcl.Expression) map[string]hcl.Expression {
	all := map[string]hcl.Expression{}
	if expr == nil {
		return all
	}
	pairs, problems := hcl.ExprMap(expr)
	if problems.HasErrors() {
		l.Errorf(expr.Range(), "Invalid "+argument, "Give an object with values of %s, as in: %s = { version = \"1\" }", of, argument)
		return all
	}
	for _, pair := range pairs {
		name := hcl.ExprAsKeyword(pair.Key)
		if name == "" && !l.literal(pair.Key, &name) {
			continue
		}
		all[name] = named{pair.Value, pair.Key.Range()}
	}
	return all
}

// named is the value of a variable with the place of its name.
type named struct {
	hcl.Expression
	name hcl.Range
}

// UnwrapExpression returns the value itself, for hcl.UnwrapExpression.
func (n named) UnwrapExpression() hcl.Expression { return n.Expression }

// NameRange returns the place of the name of a value in Vars or Inputs.
func NameRange(value hcl.Expression) hcl.Range {
	if n, ok := value.(named); ok {
		return n.name
	}
	return value.Range()
}

func (l *loader) readCluster(b *hclsyntax.Block) {
	if l.in != l.spec.Root {
		l.Errorf(b.DefRange(), "Misplaced cluster", "A cluster is the spec's, so it cannot be in what an import with a label reads.")
		return
	}
	if first := l.spec.Cluster; first != nil {
		l.Errorf(b.DefRange(), "Duplicate cluster", "A spec has one cluster; cluster %q is declared already, at %s.", first.Name, first.Range)
		return
	}
	l.spec.Cluster = &Cluster{Name: b.Labels[0], Range: b.DefRange(), NameRange: b.DefRange(), Body: b.Body}
}

// readDriver reads a driver block. At most one is the default.
func (l *loader) readDriver(b *hclsyntax.Block) {
	if l.in != l.spec.Root {
		l.Errorf(b.DefRange(), "Misplaced driver", "Drivers make the nodes of the spec's cluster, so a driver cannot be in what an import with a label reads.")
		return
	}
	if !l.claim("driver", "driver."+b.Labels[0], b.DefRange()) {
		return
	}
	args, _ := l.content(b, []string{"summary!", "default", "existing", "nodes"}, nil)
	d := &Driver{Name: b.Labels[0], Range: b.DefRange(), Nodes: args["nodes"]}
	l.literal(args["summary"], &d.Summary)
	l.literal(args["existing"], &d.Existing)
	if l.literal(args["default"], &d.Default) && d.Default {
		for _, other := range l.spec.Drivers {
			if other.Default {
				l.Errorf(args["default"].Range(), "Duplicate default", "The driver %q is the default already, at %s.", other.Name, other.Range)
			}
		}
	}
	l.spec.Drivers = append(l.spec.Drivers, d)
}

// readRecord reads a record block, of which each part of a playbook may have one.
func (l *loader) readRecord(b *hclsyntax.Block) {
	if l.in != l.spec.Root {
		l.Errorf(b.DefRange(), "Misplaced record", "The record is that of the spec's cluster, so it cannot be in what an import with a label reads.")
		return
	}
	args, _ := l.content(b, []string{"fixed", "removes"}, nil)
	r := &Record{Fixed: l.values("fixed", "what is fixed", args["fixed"]), Removes: args["removes"], Range: b.DefRange()}
	for _, name := range slices.Sorted(maps.Keys(r.Fixed)) {
		l.claim("fixed value", "record.fixed."+name, NameRange(r.Fixed[name]))
	}
	if r.Removes != nil {
		l.claim("argument", "record.removes", r.Removes.Range())
	}
	l.spec.Records = append(l.spec.Records, r)
}

func (l *loader) readVariable(b *hclsyntax.Block) {
	args, blocks := l.content(b, []string{"type", "default", "description", "sensitive"}, []string{"validation"})
	v := &Variable{Name: b.Labels[0], Type: args["type"], Default: args["default"], Range: b.DefRange()}
	l.literal(args["description"], &v.Description)
	l.literal(args["sensitive"], &v.Sensitive)
	v.Validations = l.conditions(blocks)
	l.in.Variables = append(l.in.Variables, v)
}

// conditions reads validation and assert blocks.
func (l *loader) conditions(blocks hclsyntax.Blocks) []Condition {
	var all []Condition
	for _, b := range blocks {
		args, _ := l.content(b, []string{"condition!", "error_message!"}, nil)
		if args["condition"] != nil && args["error_message"] != nil {
			all = append(all, Condition{Condition: args["condition"], ErrorMessage: args["error_message"], Range: b.DefRange()})
		}
	}
	return all
}

func (l *loader) readLocals(b *hclsyntax.Block) {
	for _, attr := range sorted(b.Body.Attributes) {
		if l.claim("local", "local."+attr.Name, attr.NameRange) {
			l.in.Locals = append(l.in.Locals, &Local{Name: attr.Name, Expr: attr.Expr, Range: attr.NameRange})
		}
	}
	for _, inner := range b.Body.Blocks {
		l.Errorf(inner.TypeRange, "Unknown block type", "A locals block has arguments only.")
	}
}

func (l *loader) readOutput(b *hclsyntax.Block) {
	args, _ := l.content(b, []string{"value!", "description", "sensitive"}, nil)
	if args["value"] == nil {
		return
	}
	o := &Output{Name: b.Labels[0], Value: args["value"], Range: b.DefRange()}
	l.literal(args["description"], &o.Description)
	l.literal(args["sensitive"], &o.Sensitive)
	l.in.Outputs = append(l.in.Outputs, o)
}

func (l *loader) readCheck(b *hclsyntax.Block) {
	_, blocks := l.content(b, nil, []string{"assert"})
	if len(blocks) == 0 {
		l.Errorf(b.DefRange(), "Missing block", "A check block needs an assert block with a condition and an error_message.")
	}
	check := &Check{In: l.in, Name: b.Labels[0], Asserts: l.conditions(blocks), Range: b.DefRange()}
	if l.in.common != nil {
		check.When = l.in.common.When
	}
	l.spec.Checks = append(l.spec.Checks, check)
}

func (l *loader) readHost(b *hclsyntax.Block) {
	args, _ := l.content(b, []string{
		"for_each", "name", "address!", "port", "user", "via", "transport", "become",
		"private_key", "password", "become_method", "become_password", "host_keys", "os", "auth", "certificate", "connect_timeout", "pace", "vars", "depends_on",
		"console", "take_console", "screen", "shell",
	}, nil)
	l.spec.Hosts = append(l.spec.Hosts, &Host{
		In: l.in, Label: b.Labels[0], ForEach: args["for_each"], Name: args["name"], Address: args["address"], Port: args["port"],
		User: args["user"], Via: args["via"], Transport: args["transport"], Become: args["become"],
		PrivateKey: args["private_key"], Password: args["password"], BecomeMethod: args["become_method"], BecomePassword: args["become_password"], HostKeys: args["host_keys"],
		OS: args["os"], Auth: args["auth"], Certificate: args["certificate"], ConnectTimeout: args["connect_timeout"], Pace: args["pace"],
		Console: args["console"], TakeConsole: args["take_console"], Screen: args["screen"], Shell: args["shell"],
		Vars: args["vars"], DependsOn: args["depends_on"], Range: b.DefRange(),
	})
}

// importType is the block of an import, at the top of a file or in a block.
func importType() blockType {
	return blockType{[]string{"name?"}, `import "shop" { source = "shop" }`, "", (*loader).readImport}
}

func (l *loader) readImport(b *hclsyntax.Block) { l.importWithin(b, nil) }

// importWithin reads an import, which may be in a block that gives its arguments to all tasks
// of the import.
func (l *loader) importWithin(b *hclsyntax.Block, common *Task) {
	args, _ := l.content(b, []string{"source!", "inputs", "for_each", "when", "depends_on", "tags"}, nil)
	next := importBlock{in: l.in, folder: Folder(b.TypeRange.Filename), inputs: l.values("inputs", "variables", args["inputs"]), header: b.DefRange()}
	next.common = &Task{When: only(args["when"]), DependsOn: only(args["depends_on"]), Tags: l.tags(args["tags"])}
	if common != nil {
		next.block = common.Block
		next.common.inherit(common)
	} else if l.in.common != nil {
		next.common.inherit(l.in.common)
	}
	if len(b.Labels) > 0 {
		next.label = b.Labels[0]
		if !l.claim("import", "import."+next.label, next.header) {
			return
		}
	}
	next.forEach = args["for_each"]
	for _, name := range []string{"for_each", "when", "depends_on", "tags"} {
		if args[name] != nil && next.label == "" {
			l.Errorf(args[name].Range(), "Missing label", "An import without a label is read into the files that import it, so it has no %s. Give it a label, as in: import \"web\" { … }", name)
		}
	}
	if common != nil && next.label == "" {
		l.Errorf(next.header, "Missing label", "An import in a block has a label, as in: import \"web\" { … }")
		return
	}
	if l.literal(args["source"], &next.source) {
		next.at = args["source"].Range()
		l.imports = append(l.imports, next)
	}
}

package plan

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// decoder puts the arguments of a block into a struct by its hcl tags. Unlike
// gohcl's it lets values be unknown, so that the arguments of a task can be
// checked before the tasks they refer to have run, and takes null for an absent
// argument.
type decoder struct {
	unknown bool // a value was not known, so the struct is not complete
	diags   diag.List
	scope   *hcl.EvalContext // of the task
	shared  *shared          // of its block
	task    *hclsyntax.Body  // of the task itself, which may have
	meta    func() []string  // the engine's arguments too
	prefix  string           // of the names of arguments in the block that is being decoded
	veils   map[string]veil  // of arguments with sensitive values, by name
	last    *evaluated       // the argument that was decoded last
}

// field is a field of a struct with an hcl tag.
type field struct {
	name     string
	kind     string // "", "optional", "block" or "label"
	position int
}

func fields(t reflect.Type) []field {
	var all []field
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("hcl")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(tag, ",")
		if kind == "attr" {
			kind = ""
		}
		all = append(all, field{name: name, kind: kind, position: i})
	}
	return all
}

// body decodes into target, which is a struct. header is where the block starts.
func (d *decoder) body(body *hclsyntax.Body, target reflect.Value, ctx *hcl.EvalContext, header hcl.Range) {
	all := d.shared.fieldsOf(target.Type())
	d.tellUnexpected(body, all)
	blocks := d.innerBlocks(body, ctx)
	names := make([]string, len(all))
	for i, f := range all {
		names[i] = f.name
	}
	for _, f := range all {
		into := target.Field(f.position)
		switch f.kind {
		case "", "optional":
			d.last = nil
			d.argument(body, f, names, into, ctx, header)
			d.veil(target.Type().Field(f.position), f.name)
		case "block":
			d.blocks(blocks, f, into, header)
		case "label":
		default:
			panic(fmt.Sprintf("plan: field %s of %s has the tag %q, which is not supported; this is a bug in kinit", f.name, target.Type(), f.kind))
		}
	}
}

// tellUnexpected tells of arguments and blocks that the struct has no field for.
func (d *decoder) tellUnexpected(body *hclsyntax.Body, all []field) {
	told, known := d.shared.unexpected[body]
	if !known {
		before := len(d.diags)
		d.unexpected(body, all)
		told = slices.Clone(d.diags[before:])
		d.shared.unexpected[body] = told
		return
	}
	d.diags = append(d.diags, told...)
}

// unexpected finds them, and what may have been meant.
func (d *decoder) unexpected(body *hclsyntax.Body, all []field) {
	var args, blocks []string
	for _, f := range all {
		switch f.kind {
		case "", "optional":
			args = append(args, f.name)
		case "block":
			blocks = append(blocks, f.name)
		}
	}
	near := args
	if body == d.task {
		near = slices.Concat(args, d.meta())
	}
	for _, name := range slices.Sorted(maps.Keys(body.Attributes)) {
		switch {
		case slices.Contains(args, name):
		case slices.Contains(blocks, name) || body == d.task && name == "retry":
			d.errorf(body.Attributes[name].NameRange, "Unknown argument", "%q is no argument but a block, as in: %s { … }", name, name)
		default:
			d.errorf(body.Attributes[name].NameRange, "Unknown argument", "There is no argument %q here.%s", name, diag.Near(name, near))
		}
	}
	for _, b := range body.Blocks {
		name, at := b.Type, b.TypeRange
		if name == dynamic && len(b.Labels) == 1 {
			name, at = b.Labels[0], b.LabelRanges[0]
		}
		if !slices.Contains(blocks, name) {
			d.errorf(at, "Unknown block type", "There is no block %q here.%s", name, diag.Near(name, blocks))
		}
	}
}

// argument decodes one attribute. An absent or null optional one keeps its default.
func (d *decoder) argument(body *hclsyntax.Body, f field, names []string, into reflect.Value, ctx *hcl.EvalContext, header hcl.Range) {
	attr := body.Attributes[f.name]
	if attr == nil {
		if f.kind == "" && !diag.Mistyped(f.name, names, slices.Collect(maps.Keys(body.Attributes))) {
			d.errorf(header, "Missing argument", "The argument %q is required.", f.name)
		}
		return
	}
	d.value(attr.Expr, f.name, f.kind == "optional", into, ctx)
}

// value decodes an expression.
func (d *decoder) value(expr hcl.Expression, name string, optional bool, into reflect.Value, ctx *hcl.EvalContext) {
	e, at := d.evaluate(expr, ctx, d.shared.kindOf(name, into)), expr.Range()
	d.last = e
	switch {
	case e.problems.HasErrors():
		d.diags = append(d.diags, diag.FromHCL(e.problems)...)
		return
	case e.value.IsNull():
		if !optional {
			d.errorf(at, "Missing value", "The argument %q is required, and its value is null.", name)
		}
		return
	case e.err != nil:
		d.errorf(at, "Wrong type", "The argument %q cannot have this value: %s.", name, e.errorText(e.err))
		return
	}
	if !e.known {
		d.unknown = true
		return
	}
	if err := e.into(into); err != nil {
		d.errorf(at, "Wrong type", "The argument %q cannot have this value: %s.", name, e.errorText(err))
	}
}

// evaluate evaluates an expression as a value of a type. Those in dynamic blocks have
// scopes of their own, which nothing is remembered of.
func (d *decoder) evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) *evaluated {
	if ctx != d.scope {
		return evaluate(expr, ctx, kind)
	}
	return d.shared.evaluate(expr, ctx, kind)
}

// errorText names the path inside of a value that an error is about.
func errorText(err error) string {
	at, ok := err.(cty.PathError)
	if !ok || len(at.Path) == 0 {
		return err.Error()
	}
	text := ""
	for _, step := range at.Path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			key, _ := keyText(step.Key)
			text += "[" + key + "]"
		}
	}
	return err.Error() + " at " + text
}

// blocks decodes all blocks of one type into a struct, a pointer to one, or a
// slice of either.
func (d *decoder) blocks(all []innerBlock, f field, into reflect.Value, header hcl.Range) {
	var found []innerBlock
	for _, b := range all {
		if b.Type == f.name {
			found = append(found, b)
		}
	}
	if into.Kind() == reflect.Slice {
		slice := reflect.MakeSlice(into.Type(), len(found), len(found))
		for i, b := range found {
			d.within(fmt.Sprintf("%s[%d].", f.name, i), func() { d.block(b, slice.Index(i)) })
		}
		if len(found) > 0 {
			into.Set(slice)
		}
		return
	}
	if len(found) > 1 {
		d.errorf(found[1].DefRange(), "Duplicate block", "There may be one %s block.", f.name)
	}
	if len(found) > 0 {
		d.within(f.name+".", func() { d.block(found[0], into) })
		return
	}
	if into.Kind() != reflect.Pointer {
		d.errorf(header, "Missing block", "A %s block is required.", f.name)
	}
}

// block decodes one block with its labels.
func (d *decoder) block(b innerBlock, into reflect.Value) {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	labels := 0
	for _, f := range d.shared.fieldsOf(into.Type()) {
		if f.kind != "label" {
			continue
		}
		if labels < len(b.Labels) {
			into.Field(f.position).SetString(b.Labels[labels])
		}
		labels++
	}
	if labels != len(b.Labels) {
		d.errorf(b.DefRange(), "Wrong labels", "A %s block has %d labels here.", b.Type, labels)
		return
	}
	d.body(b.Body, into, b.ctx, b.DefRange())
}

func (d *decoder) errorf(at hcl.Range, summary, format string, args ...any) {
	d.diags = append(d.diags, diag.Errorf(&at, summary, format, args...)...)
}

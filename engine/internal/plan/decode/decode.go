package decode

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Sensitivity records what a task must not show, as far as its arguments are known.
type Sensitivity struct {
	// All reports that no output of the task may be shown and that its values are
	// sensitive: the task is declared sensitive, or an argument that its module may show
	// has a sensitive value.
	All bool

	arguments map[string]sensitiveArgument // with a sensitive value, by name
}

// Any reports whether an argument has a sensitive value.
func (s Sensitivity) Any() bool { return s.All || len(s.arguments) > 0 }

// With returns s, with All set if what is beside the arguments is sensitive.
func (s Sensitivity) With(sensitive bool) Sensitivity {
	s.All = s.All || sensitive
	return s
}

// sensitiveArgument is an argument with a sensitive value.
type sensitiveArgument struct {
	shown cty.Value // the part that may be shown
	kept  bool      // the module shows nothing of it, by its type or its tag
}

// Decoder puts the arguments of a block into a struct by its hcl tags. Unlike gohcl it
// allows unknown values, so that a task's arguments can be checked before the tasks they
// refer to have run, and treats null as an absent argument.
type Decoder struct {
	diag.Collector
	Unknown bool // a value was not known, so the struct is not complete
	// Alone are the mistakes in single values. A task whose arguments are all known has a check of
	// its own, which finds them too.
	Alone diag.List

	scope     *hcl.EvalContext             // of the task
	shared    *Shared                      // of its block
	task      *hclsyntax.Body              // of the task itself, which may have
	meta      func() []string              // the engine's arguments too
	prefix    string                       // of the names of arguments in the block that is being decoded
	sensitive map[string]sensitiveArgument // of arguments with sensitive values, by name
	last      *evaluated                   // the argument that was decoded last
}

// New makes a decoder of expressions in a scope.
func New(scope *hcl.EvalContext, shared *Shared) *Decoder {
	return &Decoder{scope: scope, shared: shared, sensitive: map[string]sensitiveArgument{}}
}

// Task decodes the arguments of a task into the struct that its module made. header is
// where the block starts; meta lists the engine's arguments, as suggestions for an unknown
// one.
func (d *Decoder) Task(body *hclsyntax.Body, meta func() []string, made module.Task, header hcl.Range) {
	target := reflect.ValueOf(made)
	if target.Kind() != reflect.Pointer || target.Elem().Kind() != reflect.Struct {
		panic(fmt.Sprintf("plan: a module makes a %T and no pointer to a struct; this is a bug in kinit", made))
	}
	d.task, d.meta = body, meta
	d.body(body, target.Elem(), d.scope, header)
}

// Value decodes one expression into what into points to.
func (d *Decoder) Value(expr hcl.Expression, name string, optional bool, into any) {
	d.value(expr, name, optional, reflect.ValueOf(into).Elem(), d.scope)
}

// LastSensitive reports whether the last decoded value contains something sensitive.
func (d *Decoder) LastSensitive() bool { return d.last.sensitive }

// Sensitivity returns what the decoded task must not show; all means everything. It asks
// the module which arguments the module does not show.
func (d *Decoder) Sensitivity(made module.Task, all bool) Sensitivity {
	s := Sensitivity{All: all, arguments: d.sensitive}
	discreet, _ := made.(module.Discreet)
	for name, argument := range d.sensitive {
		hidden := discreet != nil && discreet.Hide(name)
		s.All = s.All || !hidden && !argument.kept
	}
	return s
}

// body decodes into target, which is a struct. header is where the block starts.
func (d *Decoder) body(body *hclsyntax.Body, target reflect.Value, ctx *hcl.EvalContext, header hcl.Range) {
	all := module.Arguments(target.Type())
	d.reportUnexpected(body, all)
	blocks := d.innerBlocks(body, ctx)
	names := lists.Map(all, func(f module.Argument) string { return f.Name })
	for _, f := range all {
		into := target.FieldByIndex(f.Field.Index)
		switch f.Kind {
		case "", "optional":
			d.last = nil
			d.argument(body, f, names, into, ctx, header)
			d.recordSensitive(f.Field, f.Name)
		case "block":
			d.blocks(blocks, f, into, header)
		case "label":
		default:
			panic(fmt.Sprintf("plan: field %s of %s has the tag %q, which is not supported; this is a bug in kinit", f.Name, target.Type(), f.Kind))
		}
	}
}

// reportUnexpected reports arguments and blocks that the struct has no field for.
func (d *Decoder) reportUnexpected(body *hclsyntax.Body, all []module.Argument) {
	d.Tell(once(d.shared.unexpected, body, func() diag.List { return d.unexpected(body, all) }))
}

// unexpected finds them, and suggestions.
func (d *Decoder) unexpected(body *hclsyntax.Body, all []module.Argument) diag.List {
	var found diag.Collector
	var args, blocks []string
	for _, f := range all {
		switch f.Kind {
		case "", "optional":
			args = append(args, f.Name)
		case "block":
			blocks = append(blocks, f.Name)
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
			found.Errorf(body.Attributes[name].NameRange, "Unknown argument", "%q is no argument but a block, as in: %s { … }", name, name)
		default:
			found.Errorf(body.Attributes[name].NameRange, "Unknown argument", "There is no argument %q here.%s", name, cmp.Or(diag.Hint(name, near), known(args)))
		}
	}
	for _, b := range body.Blocks {
		name, at := b.Type, b.TypeRange
		if name == dynamic && len(b.Labels) == 1 {
			name, at = b.Labels[0], b.LabelRanges[0]
		}
		if !slices.Contains(blocks, name) {
			found.Errorf(at, "Unknown block type", "There is no block %q here.%s", name, cmp.Or(diag.Hint(name, blocks), diag.NearOrAll(name, blocks), known(args)))
		}
	}
	return found.Diags
}

// known lists the arguments there are, for a name that is like none of them.
func known(args []string) string {
	switch {
	case len(args) == 0:
		return " There are none of the module's own."
	case len(args) > 16:
		return " \"kinit modules NAME\" lists the arguments of a module."
	}
	return " The arguments are " + strings.Join(args, ", ") + "."
}

// argument decodes one attribute. An absent or null optional one keeps its default.
func (d *Decoder) argument(body *hclsyntax.Body, f module.Argument, names []string, into reflect.Value, ctx *hcl.EvalContext, header hcl.Range) {
	attr := body.Attributes[f.Name]
	if attr == nil {
		if f.Kind == "" && !diag.Mistyped(f.Name, names, slices.Collect(maps.Keys(body.Attributes))) {
			d.Errorf(header, "Missing argument", "The argument %q is required.", f.Name)
		}
		return
	}
	d.value(attr.Expr, f.Name, f.Kind == "optional", into, ctx)
	if e := d.last; e != nil && e.known && !e.sensitive && e.err == nil && !e.problems.HasErrors() {
		d.judge(f, into, attr.Expr.Range())
	}
}

// judge notes the mistake in the value of an argument alone.
func (d *Decoder) judge(f module.Argument, value reflect.Value, at hcl.Range) {
	if err := f.Mistake(value); err != nil {
		d.Alone = append(d.Alone, diag.Errorf(&at, "Invalid arguments", "%s.", err)...)
	}
}

func (d *Decoder) value(expr hcl.Expression, name string, optional bool, into reflect.Value, ctx *hcl.EvalContext) {
	e, at := d.evaluate(expr, ctx, d.shared.kindOf(name, into)), expr.Range()
	d.last = e
	switch {
	case e.problems.HasErrors():
		d.Tell(diag.FromHCL(e.problems))
		return
	case e.value.IsNull():
		if !optional {
			d.Errorf(at, "Missing value", "The argument %q is required, and its value is null.", name)
		}
		return
	case e.err != nil:
		d.Errorf(at, "Wrong type", "The argument %q cannot have this value: %s.", name, e.errorText(e.err))
		return
	}
	if !e.known {
		d.Unknown = true
		return
	}
	if err := e.into(into); err != nil {
		d.Errorf(at, "Wrong type", "The argument %q cannot have this value: %s.", name, e.errorText(err))
	}
}

// evaluate evaluates an expression as a value of a type. Expressions in dynamic blocks have
// a separate scope, whose values are not stored.
func (d *Decoder) evaluate(expr hcl.Expression, ctx *hcl.EvalContext, kind cty.Type) *evaluated {
	if ctx != d.scope {
		return evaluate(expr, ctx, kind)
	}
	return d.shared.evaluate(expr, ctx, kind)
}

// blocks decodes all blocks of one type into a struct, a pointer to one, or a
// slice of either.
func (d *Decoder) blocks(all []innerBlock, f module.Argument, into reflect.Value, header hcl.Range) {
	var found []innerBlock
	for _, b := range all {
		if b.Type == f.Name {
			found = append(found, b)
		}
	}
	if into.Kind() == reflect.Slice {
		slice := reflect.MakeSlice(into.Type(), len(found), len(found))
		for i, b := range found {
			d.within(fmt.Sprintf("%s[%d].", f.Name, i), func() { d.block(b, slice.Index(i)) })
		}
		if len(found) > 0 {
			into.Set(slice)
		}
		return
	}
	if len(found) > 1 {
		d.Errorf(found[1].DefRange(), "Duplicate block", "There may be one %s block.", f.Name)
	}
	if len(found) > 0 {
		d.within(f.Name+".", func() { d.block(found[0], into) })
		return
	}
	if into.Kind() != reflect.Pointer {
		d.Errorf(header, "Missing block", "A %s block is required.", f.Name)
	}
}

// block decodes one block with its labels.
func (d *Decoder) block(b innerBlock, into reflect.Value) {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	module.Default(into)
	labels := 0
	for _, f := range module.Arguments(into.Type()) {
		if f.Kind != "label" {
			continue
		}
		if labels < len(b.Labels) {
			into.FieldByIndex(f.Field.Index).SetString(b.Labels[labels])
		}
		labels++
	}
	if labels != len(b.Labels) {
		d.Errorf(b.DefRange(), "Wrong labels", "A %s block has %d labels here.", b.Type, labels)
		return
	}
	d.body(b.Body, into, b.ctx, b.DefRange())
}

// dynamic is the name of a block that makes one block for each element of a collection, as
// in Terraform: dynamic "nic" { for_each = …, content { … nic.value … } }.
const dynamic = "dynamic"

// innerBlock is a block with the scope of its expressions.
type innerBlock struct {
	*hclsyntax.Block
	ctx *hcl.EvalContext
}

// innerBlocks lists the blocks of a body, with those that dynamic blocks make.
func (d *Decoder) innerBlocks(body *hclsyntax.Body, ctx *hcl.EvalContext) []innerBlock {
	var all []innerBlock
	for _, b := range body.Blocks {
		if b.Type != dynamic {
			all = append(all, innerBlock{b, ctx})
			continue
		}
		all = append(all, d.dynamic(b, ctx)...)
	}
	return all
}

// dynamic makes the blocks of one dynamic block. For an unknown collection it makes one
// block with unknown values.
func (d *Decoder) dynamic(b *hclsyntax.Block, ctx *hcl.EvalContext) []innerBlock {
	content, forEach := parts(b)
	if len(b.Labels) != 1 || content == nil || forEach == nil {
		d.Errorf(b.DefRange(), "Invalid dynamic block", "A dynamic block has one label, a for_each argument and a content block.")
		return nil
	}
	value, problems := bounds.Value(forEach, ctx)
	if problems.HasErrors() {
		d.Tell(diag.FromHCL(problems))
		return nil
	}
	made := func(key, element cty.Value) innerBlock {
		inner := ctx.NewChild()
		inner.Variables = map[string]cty.Value{
			b.Labels[0]: cty.ObjectVal(map[string]cty.Value{"key": key, "value": element}),
		}
		return innerBlock{&hclsyntax.Block{Type: b.Labels[0], Body: content, TypeRange: b.TypeRange}, inner}
	}
	if !value.IsKnown() {
		d.Unknown = true
		return []innerBlock{made(cty.DynamicVal, cty.DynamicVal)}
	}
	value, marks := value.Unmark()
	if value.IsNull() || !value.CanIterateElements() {
		d.Errorf(forEach.Range(), "Invalid for_each", "Give a list, set, map or object.")
		return nil
	}
	var all []innerBlock
	for it := value.ElementIterator(); it.Next(); {
		key, element := it.Element()
		all = append(all, made(key.WithMarks(marks), element.WithMarks(marks)))
	}
	return all
}

// parts finds the two parts of a dynamic block.
func parts(b *hclsyntax.Block) (content *hclsyntax.Body, forEach hclsyntax.Expression) {
	if attr := b.Body.Attributes["for_each"]; attr != nil && len(b.Body.Attributes) == 1 {
		forEach = attr.Expr
	}
	if len(b.Body.Blocks) == 1 && b.Body.Blocks[0].Type == "content" && len(b.Body.Blocks[0].Labels) == 0 {
		content = b.Body.Blocks[0].Body
	}
	return content, forEach
}

// recordSensitive records that the last decoded argument has a sensitive value.
func (d *Decoder) recordSensitive(field reflect.StructField, name string) {
	if d.last == nil || !d.last.sensitive {
		return
	}
	kept := field.Tag.Get("log") == "-" || elementType(field.Type) == reflect.TypeFor[secret.Value]()
	d.sensitive[d.prefix+name] = sensitiveArgument{shown: sensitive.Masked(d.last.converted), kept: kept}
}

// within decodes a nested block, whose arguments have longer names.
func (d *Decoder) within(prefix string, decode func()) {
	outer := d.prefix
	d.prefix += prefix
	decode()
	d.prefix = outer
}

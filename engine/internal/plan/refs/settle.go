package refs

import (
	"regexp"
	"slices"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/expand"
	"kinit/engine/internal/spec"
)

// resolver is the state of one Resolve. No other package sees it.
type resolver struct {
	expand.Early
	*Refs
}

// earlyExpressions lists the expressions of a task that are evaluated before the run,
// besides those that determine its instances.
func earlyExpressions(s *spec.Task) []hcl.Expression {
	all := append(slices.Clone(s.When), s.Timeout, s.Throttle, s.Advice)
	if s.Retry != nil {
		all = append(all, s.Retry.Attempts, s.Retry.Delay)
	}
	if s.Become != nil {
		all = append(all, s.Become.Value, s.Become.User, s.Become.Method)
	}
	return slices.DeleteFunc(all, func(e hcl.Expression) bool { return e == nil })
}

// settle evaluates the engine's arguments of a task.
func (r *resolver) settle(t *Task) {
	block, ctx := t.Block, r.Context(t, nil)
	if t.Skip == "" {
		t.Skip = r.skip(block, ctx)
	}
	t.Retry = r.retry(t, ctx)
	t.Become = r.become(block, ctx)
	t.Timeout, _ = r.Duration(block.Namespace, "timeout", block.Spec.Timeout, ctx, 1)
	t.Throttle = r.count(t, "throttle", block.Spec.Throttle, ctx)
	t.Advice, _ = r.Text(block.Namespace, "advice", block.Spec.Advice, ctx)
}

// skip evaluates the conditions that are known before the run, and returns why a task is
// skipped.
func (r *resolver) skip(block *Block, ctx *hcl.EvalContext) string {
	for _, condition := range block.Spec.When {
		if block.Namespace.IsLate(condition) {
			continue
		}
		value, ok := r.As(block.Namespace, "when", condition, ctx, cty.Bool)
		if ok && value.False() {
			return "when is false"
		}
	}
	return ""
}

func (r *resolver) retry(t *Task, ctx *hcl.EvalContext) Retry {
	said := t.Block.Spec.Retry
	if said == nil {
		return Retry{Attempts: 1}
	}
	retry := Retry{Attempts: 1, Delay: defaultDelay}
	if value, ok := r.Must(t.Block.Namespace, "attempts", said.Attempts, ctx, cty.Number, "Give a number, or leave the block out."); ok {
		retry.Attempts = max(1, r.whole("attempts", value, said.Attempts))
	}
	if delay, ok := r.Duration(t.Block.Namespace, "delay", said.Delay, ctx, 0); ok {
		retry.Delay = delay
	}
	return retry
}

// count evaluates a whole number of at least 1. It is 0 without one.
func (r *resolver) count(t *Task, name string, expr hcl.Expression, ctx *hcl.EvalContext) int {
	value, ok := r.As(t.Block.Namespace, name, expr, ctx, cty.Number)
	if !ok {
		return 0
	}
	return r.whole(name, value, expr)
}

// whole converts a value to a whole number of at least 1.
func (r *resolver) whole(name string, value cty.Value, expr hcl.Expression) int {
	n, accuracy := value.AsBigFloat().Int64()
	if accuracy != 0 || n < 1 {
		r.Errorf(expr.Range(), "Invalid number", "%s is a whole number of at least 1.", name)
	}
	return int(n)
}

// defaultDelay is the time between two attempts when a retry block has none.
const defaultDelay = time.Second

// becomeMethods are the programs that change the user.
var becomeMethods = []string{"sudo", "doas", "su"}

// userName matches the user names that useradd(8) accepts, in upper and lower case.
var userName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*\$?$`)

// become evaluates the become argument or block of a task; it is nil without one.
func (r *resolver) become(block *Block, ctx *hcl.EvalContext) *Become {
	s, in := block.Spec.Become, block.Namespace
	if s == nil {
		return nil
	}
	made := &Become{User: "root"}
	if s.Value != nil {
		value, ok := r.Open(in, "become", s.Value, ctx)
		if !ok || value.IsNull() {
			return nil
		}
		user, problem := inventory.Become(value)
		if problem != "" {
			r.Errorf(s.Value.Range(), "Invalid become", "%s", problem)
		}
		made.User = user
	}
	if s.User != nil {
		if user, ok := r.Text(in, "user", s.User, ctx); ok {
			made.User = user
		}
	}
	if made.User != "" && !userName.MatchString(made.User) {
		r.Errorf(s.Range, "Invalid become", "%q is no name of a user.", made.User)
	}
	made.Method, _ = r.Text(in, "method", s.Method, ctx)
	if made.Method != "" && !slices.Contains(becomeMethods, made.Method) {
		r.Errorf(s.Method.Range(), "Invalid become", "A method is %q, %q or %q.%s", "sudo", "doas", "su", diag.Near(made.Method, becomeMethods))
	}
	return made
}

// dependencies finds the targets of a depends_on: tasks, all tasks of a block, and for a
// handler also other handlers.
func (r *resolver) dependencies(in *expand.Namespace, expr hcl.Expression, scope *hcl.EvalContext, host string, ofHandler bool) References {
	if expr == nil {
		return nil
	}
	elements, problems := hcl.ExprList(expr)
	if problems.HasErrors() {
		r.Errorf(expr.Range(), "Invalid depends_on", "Give a list of tasks, blocks or imports, as in: depends_on = [task.file.motd]")
		return nil
	}
	var all References
	for _, e := range elements {
		switch root := rootOf(e); {
		case root == "block":
			all = append(all, r.membersOf(in, e)...)
		case root == "import":
			all = append(all, r.importOf(in, e)...)
		case root == "handler" && ofHandler:
			handlers, diags := r.Set.Handlers(in, e, "Invalid depends_on")
			r.Tell(diags)
			for _, block := range handlers {
				all = append(all, Reference{Block: r.blocks[block], At: e.Range()})
			}
		case root == "handler":
			r.Errorf(e.Range(), "Invalid depends_on", "A handler is done after all tasks of a stage. To be done after it, a task names those that notify it, with flush_handlers = true, or is in a later stage.")
		case root == "task":
			found := r.find(in, scope, host, e)
			all = append(all, found.found...)
			r.Tell(found.Diags)
		default:
			r.Errorf(e.Range(), "Invalid depends_on", "Name a task, a block or an import without quotes, as in task.file.motd, block.deploy or import.shop.")
		}
	}
	return all
}

// rootOf returns the first name of an expression that refers to something.
func rootOf(e hcl.Expression) string {
	for _, t := range e.Variables() {
		switch t.RootName() {
		case "task", "block", "handler", "import":
			return t.RootName()
		}
	}
	return ""
}

// membersOf finds the tasks of the block that an expression names. Tasks for failures need
// only to have ended.
func (r *resolver) membersOf(in *expand.Namespace, e hcl.Expression) References {
	t, problems := hcl.AbsTraversalForExpr(e)
	if problems.HasErrors() || len(t) != 2 {
		r.Errorf(e.Range(), "Invalid depends_on", "Name a block without quotes or an index, as in block.deploy.")
		return nil
	}
	name, _ := expand.StepKey(t[1])
	var names []string
	for _, s := range r.Set.Spec.Blocks {
		if s.In != in.Namespace {
			continue
		}
		names = append(names, s.Name)
		if s.Name == name {
			return r.softly(e.Range(), func(task *spec.Task) bool { return task.Within(s) && !task.Handler })
		}
	}
	r.Errorf(e.Range(), "Unknown block", "There is no block.%s.%s", name, diag.NearOrAll(name, names))
	return nil
}

// importOf finds the tasks of the import that an expression names, except handlers and
// tasks that run after all others.
func (r *resolver) importOf(in *expand.Namespace, e hcl.Expression) References {
	t, problems := hcl.AbsTraversalForExpr(e)
	var key string
	if len(t) == 3 {
		if index, ok := t[2].(hcl.TraverseIndex); ok {
			key, _ = expand.StepKey(index)
		}
	}
	if problems.HasErrors() || len(t) != 2 && key == "" {
		r.Errorf(e.Range(), "Invalid depends_on", "Name an import as a whole and without quotes, as in import.shop.")
		return nil
	}
	label, _ := expand.StepKey(t[1])
	named, diags := in.Imported(label, key, e.Range())
	r.Tell(diags)
	if diags.HasErrors() {
		return nil
	}
	return r.softly(e.Range(), func(s *spec.Task) bool {
		if s.Handler || s.Around() == nil && (s.Always || s.OnFailure) {
			return false
		}
		return slices.ContainsFunc(named, func(names *expand.Namespace) bool { return s.In.Within(names.Namespace) })
	})
}

// softly refers to the tasks that are meant. Those for failures need only to have ended.
func (r *resolver) softly(at hcl.Range, meant func(*spec.Task) bool) (all References) {
	for _, block := range r.Blocks {
		if meant(block.Spec) {
			all = append(all, Reference{Block: block, At: at, Soft: expand.RoleOf(block.Spec) == expand.Rescue})
		}
	}
	return all
}

// engineExpressions lists the expressions of a task that are evaluated when it runs,
// besides the module's arguments.
func engineExpressions(s *spec.Task) []hcl.Expression {
	all := slices.Concat(s.Environment, s.When)
	for _, expr := range []hcl.Expression{s.Cwd, s.Until, s.ChangedWhen, s.FailedWhen} {
		if expr != nil {
			all = append(all, expr)
		}
	}
	return all
}

// Late lists the expressions that are evaluated when a task runs.
func (b *Block) Late() []hcl.Expression {
	return append(expand.Expressions(b.Spec.Args), engineExpressions(b.Spec)...)
}

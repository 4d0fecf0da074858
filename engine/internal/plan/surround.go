package plan

import (
	"maps"
	"path"
	"reflect"
	"regexp"
	"slices"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/spec"
)

// Surroundings is where and how a task's commands run.
type Surroundings struct {
	Env map[string]string
	Dir string // an absolute path, empty for the login's home folder

	Sensitive bool // of the folder, which messages may name
}

// Become is the user that a task works as.
type Become struct {
	User   string // empty means the login's own
	Method string // "sudo", "doas" or "su"; empty means sudo
}

// becomeMethods are the programs that change the user.
func becomeMethods() []string { return []string{"sudo", "doas", "su"} }

// Surroundings evaluates environment and cwd with the values of other tasks.
func (t *Task) Surroundings(values *Values) (Surroundings, diag.List) {
	return t.surroundings(t.context(values), newShared())
}

func (t *Task) surroundings(ctx *hcl.EvalContext, shared *shared) (Surroundings, diag.List) {
	var s Surroundings
	d := &decoder{scope: ctx, shared: shared}
	for _, expr := range t.block.spec.Environment {
		var env map[string]string
		d.value(expr, "environment", true, reflect.ValueOf(&env).Elem(), ctx)
		for _, name := range slices.Sorted(maps.Keys(env)) {
			if !variableName.MatchString(name) {
				d.errorf(expr.Range(), "Invalid environment", "%q is no name of an environment variable: it has letters, digits and _ only.", name)
			}
		}
		if s.Env == nil {
			s.Env = map[string]string{}
		}
		maps.Copy(s.Env, env)
	}
	if expr := t.block.spec.Cwd; expr != nil {
		d.value(expr, "cwd", true, reflect.ValueOf(&s.Dir).Elem(), ctx)
		s.Sensitive = d.last.sensitive
		if s.Dir != "" && !path.IsAbs(s.Dir) && !s.Sensitive {
			d.errorf(expr.Range(), "Invalid cwd", "The working directory %q must be an absolute path.", s.Dir)
		}
	}
	return s, t.own(d.diags)
}

// variableName is what sh takes as the name of a variable, POSIX.1-2017 3.235.
var variableName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// userName is what useradd(8) takes as the name of a user, in either case.
var userName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*\$?$`)

// become evaluates the become argument or block of a task; it is nil without one.
func (b *builder) become(block *block, ctx *hcl.EvalContext) *Become {
	s, in := block.spec.Become, block.space
	if s == nil {
		return nil
	}
	made := &Become{User: "root"}
	if s.Value != nil {
		value, ok := b.earlyOpen(in, "become", s.Value, ctx)
		if !ok || value.IsNull() {
			return nil
		}
		user, problem := inventory.Become(value)
		if problem != "" {
			b.errorf(s.Value.Range(), "Invalid become", "%s", problem)
		}
		made.User = user
	}
	if s.User != nil {
		made.User, _ = b.earlyText(in, "user", s.User, ctx)
	}
	if made.User != "" && !userName.MatchString(made.User) {
		b.errorf(s.Range, "Invalid become", "%q is no name of a user.", made.User)
	}
	if s.Method != nil {
		made.Method, _ = b.earlyText(in, "method", s.Method, ctx)
		if made.Method != "" && !slices.Contains(becomeMethods(), made.Method) {
			b.errorf(s.Method.Range(), "Invalid become", "A method is %q, %q or %q.%s", "sudo", "doas", "su", diag.Near(made.Method, becomeMethods()))
		}
	}
	return made
}

// engineExpressions lists the expressions of a task that are evaluated when its
// turn comes, besides the module's arguments.
func engineExpressions(s *spec.Task) []hcl.Expression {
	all := slices.Concat(s.Environment, s.When)
	for _, expr := range []hcl.Expression{s.Cwd, s.Until, s.ChangedWhen, s.FailedWhen} {
		if expr != nil {
			all = append(all, expr)
		}
	}
	return all
}

// Result is what conditions see as result.
type Result struct {
	Outputs map[string]cty.Value // nil when the task returned none
	Changed bool
	Error   string // empty when there was none

	Sensitive bool // of the error
}

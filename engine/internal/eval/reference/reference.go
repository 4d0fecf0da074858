// Package reference is docs/functions.md: all functions of expressions, each with an example
// that is evaluated when the page is generated.
//
// Its files, each of which uses those before it alone: examples.go, reference.go.
package reference

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/fstest"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/internal/eval"
	"kinit/engine/internal/spec"
	"kinit/engine/lists"
)

//go:generate go run kinit/engine/internal/eval/reference/generate

// Page is the page's path in the repository.
const Page = "docs/functions.md"

const head = `# Functions

The functions of expressions in playbooks, specs and inventories. They always return the same for the same arguments: none uses a clock
or random numbers. This page is generated; its examples are evaluated by the tests, which also have the files ` + "`motd`" + ` (with the text
hello), ` + "`site.tmpl`" + ` and ` + "`Debian.conf`" + ` beside the playbook.

`

// Markdown returns the page. A function without an example, or an example that is wrong, is an
// error.
func Markdown() (string, error) {
	src := spec.Sources{Cwd: "/srv", Home: "/home/user", Builtin: fstest.MapFS{
		"web/motd": {Data: []byte("hello\n")}, "web/site.tmpl": {Data: []byte("listen ${port};")}, "web/Debian.conf": {Data: []byte("debian\n")},
	}}
	groups, known := eval.Groups(src, "builtin:web"), eval.Functions(src, "builtin:web", nil)
	var out strings.Builder
	out.WriteString(head)
	left, about := examples(), abouts()
	for _, group := range groups {
		fmt.Fprintf(&out, "## %s\n\n| function | what it returns | example | its value |\n|---|---|---|---|\n", group.Title)
		for _, name := range slices.Sorted(maps.Keys(group.Functions)) {
			example, ok := left[name]
			if !ok {
				return "", fmt.Errorf("the function %s has no example", name)
			}
			delete(left, name)
			if about[name] == "" && known[name].Description() == "" {
				return "", fmt.Errorf("the function %s has no description", name)
			}
			value, err := evaluate(example, known)
			if err != nil {
				return "", fmt.Errorf("the example of %s: %w", name, err)
			}
			fmt.Fprintf(&out, "| `%s` | %s | `%s` | `%s` |\n", signature(name, known[name]), cell(cmp.Or(about[name], known[name].Description())), cell(example), cell(value))
		}
		out.WriteString("\n")
	}
	if len(left) > 0 {
		return "", fmt.Errorf("there are examples of functions that do not exist: %s", strings.Join(slices.Sorted(maps.Keys(left)), ", "))
	}
	return strings.TrimRight(out.String(), "\n") + "\n", nil
}

// signature returns how a function is called.
func signature(name string, f function.Function) string {
	parameters := lists.Map(f.Params(), func(p function.Parameter) string { return p.Name })
	if more := f.VarParam(); more != nil {
		parameters = append(parameters, more.Name+"...")
	}
	return name + "(" + strings.Join(parameters, ", ") + ")"
}

// evaluate returns the value of an example as JSON.
func evaluate(text string, functions map[string]function.Function) (string, error) {
	expr, problems := hclsyntax.ParseExpression([]byte(text), "example", hcl.InitialPos)
	if problems.HasErrors() {
		return "", problems
	}
	value, problems := expr.Value(&hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{}})
	if problems.HasErrors() {
		return "", problems
	}
	json, err := ctyjson.Marshal(value, value.Type())
	return string(json), err
}

func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", "\\|"), "\n", " ")
}

package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/bounds"
	"kinit/engine/internal/spec"
)

// boundedScope is what the expressions refer to.
func boundedScope(dir string) *hcl.EvalContext {
	many := make([]cty.Value, 1000)
	for i := range many {
		many[i] = cty.NumberIntVal(int64(i))
	}
	huge := cty.MustParseNumberVal("1e4900")
	for range 4 {
		huge = huge.Multiply(huge)
	}
	var laughs strings.Builder
	laughs.WriteString("a0: &a0 [x,x,x,x,x,x,x,x,x]\n")
	for i := range 9 {
		fmt.Fprintf(&laughs, "a%d: &a%d [%s]\n", i+1, i+1, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d,", i), 9), ","))
	}
	return &hcl.EvalContext{
		Functions: Functions(spec.Sources{Cwd: dir}, "", nil),
		Variables: map[string]cty.Value{
			"big": cty.StringVal(strings.Repeat("x", 1_000_000)), "big2": cty.StringVal(strings.Repeat("x", 2_000_000)),
			"big16": cty.StringVal(strings.Repeat("x", 12_000_000)), "many": cty.TupleVal(many), "huge": huge,
			"laughs": cty.StringVal(laughs.String()), "unknown": cty.DynamicVal,
		},
	}
}

func TestWhatIsLargeAndMeantIsNone(t *testing.T) {
	t.Parallel()
	ctx := boundedScope("/srv")
	for _, text := range []string{
		`[for a in range(300) : [for b in range(300) : a]]`,
		`[for a in [for b in [for c in range(1000) : c] : b] : a]`, // one after the other
		`setproduct(range(300), range(300))`,
		`join(",", [for i in range(1000) : format("%08d", i)])`,
		`replace(big, "y", big)`,
		`[for k, v in {a = [1], b = [2]} : [for x in v : x]]`,
		`[for v in unknown : [for x in v : x]]`,
		`[for a in range(1000) : [for b in range(a) : b]]`,
		`"%{for a in range(1000)}%{for b in range(100)}${a} ${b}%{endfor}%{endfor}"`,
		`"%{for a in unknown}${a}%{endfor}"`,
		`replace(big, "/x/", "$0y")`,
		`jsondecode(jsonencode([for i in range(100) : many]))`,
		`length(split(",", big))`,
		`jsondecode("{\"digest\": \"ab4e123456c\", \"text\": \"1e99999\"}")`,
		`yamldecode("digest: 4e123456c")`,
	} {
		expr, problems := hclsyntax.ParseExpression([]byte(text), "x.hcl", hcl.InitialPos)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		bounds.Limit(expr)
		if _, problems = bounds.Value(expr, ctx); problems.HasErrors() {
			t.Errorf("%s: %s", text, problems.Error())
		}
	}
}

package eval

import (
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/spec"
)

// What cannot be meant is an error with its place, in a fraction of a second; a machine
// that is busy gets some more.
func TestWhatCannotBeMeantIsAnError(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`range(1000000000)`, "more than 1024 values were generated"},
		{`[for a in range(1000) : [for b in range(1000) : [for c in range(1000) : a]]]`, "These for expressions take 1000000000 rounds together, and at most 1000000 can be meant."},
		{`{for a in range(1000) : a => {for b in range(1000) : b => join("", [for c in range(100) : "x"])}}`, "take 100000000 rounds"},
		{`"%{for a in range(1000)}%{for b in range(1000)}%{for c in range(1000)}x%{endfor}%{endfor}%{endfor}"`, "take 1000000000 rounds"},
		{`setproduct(range(1000), range(1000), range(1000))`, "more than 1000000 combinations"},
		{`format("%1000000000d", 1)`, "the width of \"%1000000000\" is more than 65536"},
		{`format("%.1000000000f", 1)`, "the width of"},
		{`formatlist("%900000s", ["a"])`, "the width of"},
		{`join(big, range(1000))`, "this makes a text of up to 953 MiB"},
		{`join("", [for i in range(1000) : big])`, "this makes a text of up to"},
		{`replace(big, "x", big)`, "this makes a text of up to"},
		{`indent(1000000000, "a\nb")`, "more than 65536 spaces cannot be meant"},
		{`"${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}${big}"`, "This cannot be meant: the texts of the value have more than 16 MiB"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			expr, problems := hclsyntax.ParseExpression([]byte(test.text), "x.hcl", hcl.InitialPos)
			if problems.HasErrors() {
				t.Fatal(problems)
			}
			began := time.Now()
			_, problems = bounded(expr, &hcl.EvalContext{
				Functions: Functions(spec.Sources{Cwd: "/srv"}, "", nil),
				Variables: map[string]cty.Value{"big": cty.StringVal(strings.Repeat("x", 1_000_000))},
			})
			if !problems.HasErrors() {
				t.Fatal("it is no error")
			}
			if took := time.Since(began); took > 5*time.Second {
				t.Errorf("it took %s", took)
			}
			if p := problems[0]; p.Subject == nil || p.Subject.Filename != "x.hcl" || !strings.Contains(p.Detail, test.want) {
				t.Errorf("at %v: %s", p.Subject, p.Detail)
			}
		})
	}
}

func TestWhatIsLargeAndMeantIsNone(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`[for a in range(300) : [for b in range(300) : a]]`,
		`[for a in [for b in [for c in range(1000) : c] : b] : a]`, // one after the other
		`setproduct(range(300), range(300))`,
		`join(",", [for i in range(1000) : format("%08d", i)])`,
		`replace(big, "y", big)`,
		`[for k, v in {a = [1], b = [2]} : [for x in v : x]]`,
		`[for v in unknown : [for x in v : x]]`,
	} {
		expr, problems := hclsyntax.ParseExpression([]byte(text), "x.hcl", hcl.InitialPos)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		if _, problems = bounded(expr, &hcl.EvalContext{
			Functions: Functions(spec.Sources{Cwd: "/srv"}, "", nil),
			Variables: map[string]cty.Value{"big": cty.StringVal(strings.Repeat("x", 1_000_000)), "unknown": cty.DynamicVal},
		}); problems.HasErrors() {
			t.Errorf("%s: %s", text, problems.Error())
		}
	}
}

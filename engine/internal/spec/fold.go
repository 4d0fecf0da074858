package spec

import (
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"

	"kinit/engine/lists"
)

// Fold is the function fold of expressions. It is the only one that may be called in arguments that are read before anything has
// a value, so that a long description can span several lines.
var Fold = function.New(&function.Spec{
	Description: "Joins the lines of a text with spaces. An empty line begins a new line.",
	Params:      []function.Parameter{{Name: "text", Type: cty.String}},
	Type:        function.StaticReturnType(cty.String),
	Impl: func(args []cty.Value, _ cty.Type) (cty.Value, error) {
		return cty.StringVal(foldLines(args[0].AsString())), nil
	},
})

var literalScope = &hcl.EvalContext{Functions: map[string]function.Function{"fold": Fold}}

func foldLines(text string) string {
	lines := lists.Map(strings.Split(strings.TrimSpace(text), "\n"), strings.TrimSpace)
	var folded strings.Builder
	for i, line := range lines {
		switch {
		case i == 0:
		case line == "":
			folded.WriteString("\n")
		case lines[i-1] != "":
			folded.WriteString(" ")
		}
		folded.WriteString(line)
	}
	return folded.String()
}

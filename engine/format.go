package engine

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"kinit/engine/diag"
)

// Format gives HCL its canonical spacing: indentation, and columns of equals signs and
// comments. It does not change the meaning. A text with syntax errors is returned
// unchanged, with an invalid report; name is the file's name in the report.
func Format(name string, text []byte) ([]byte, *Report) {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	report := &Report{Diagnostics: diag.FromHCL(problems), Sources: map[string]*hcl.File{name: file}}
	if problems.HasErrors() {
		report.Invalid = true
		return text, report
	}
	return hclwrite.Format(text), report
}

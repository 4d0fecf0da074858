package engine

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// FileSecret is the encrypted value of a secret block in a file.
type FileSecret struct {
	Name      string
	Encrypted string
}

// SecretsIn lists the encrypted values of the secret blocks of a file, in its order.
// The report is invalid when the file has syntax errors.
func SecretsIn(name string, text []byte) ([]FileSecret, *Report) {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	report := &Report{Diagnostics: diag.FromHCL(problems), Sources: map[string]*hcl.File{name: file}, Invalid: problems.HasErrors()}
	if report.Invalid {
		return nil, report
	}
	var found []FileSecret
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		attr := b.Body.Attributes["encrypted"]
		if b.Type != "secret" || len(b.Labels) != 1 || attr == nil {
			continue
		}
		value, problems := attr.Expr.Value(nil)
		if problems.HasErrors() || value.Type() != cty.String || value.IsNull() {
			report.Invalid = true
			report.refuse(diag.Errorf(new(attr.Expr.Range()), "Not a text", "What is encrypted stands in the file as a text, without expressions."))
			continue
		}
		found = append(found, FileSecret{Name: b.Labels[0], Encrypted: value.AsString()})
	}
	return found, report
}

// SetSecret writes an encrypted value into the secret block with a name, and adds the block
// if it is missing. The rest of the file does not change; it must have no syntax errors.
func SetSecret(text []byte, name, encrypted string) ([]byte, error) {
	file, problems := hclsyntax.ParseConfig(text, "the file", hcl.InitialPos)
	if problems.HasErrors() {
		return nil, diag.FromHCL(problems).Err()
	}
	attribute := heredoc(encrypted)
	for _, b := range file.Body.(*hclsyntax.Body).Blocks {
		if b.Type != "secret" || len(b.Labels) != 1 || b.Labels[0] != name {
			continue
		}
		attr := b.Body.Attributes["encrypted"]
		if attr == nil {
			at := b.OpenBraceRange.End.Byte
			return splice(text, at, at, "\n  "+attribute), nil
		}
		end := attr.SrcRange.End.Byte
		if text[end-1] != '\n' { // a heredoc ends with its line
			attribute = strings.TrimSuffix(attribute, "\n")
		}
		return splice(text, attr.SrcRange.Start.Byte, end, attribute), nil
	}
	block := fmt.Sprintf("secret %q {\n  %s}\n", name, attribute)
	if len(bytes.TrimSpace(text)) > 0 {
		block = "\n" + block
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		block = "\n" + block
	}
	return splice(text, len(text), len(text), block), nil
}

func splice(text []byte, from, to int, with string) []byte {
	return slices.Concat(text[:from], []byte(with), text[to:])
}

// heredoc returns the argument of a secret block for an armored text.
func heredoc(encrypted string) string {
	var out strings.Builder
	out.WriteString("encrypted = <<-AGE\n")
	for line := range strings.Lines(encrypted) {
		out.WriteString("    " + line)
	}
	out.WriteString("  AGE\n")
	return out.String()
}

// Format gives HCL its canonical spacing: indentation, and columns of equals signs and
// comments. It does not change the meaning. A text with syntax errors is returned
// unchanged, with an invalid report; name is the file's name in the report.
func Format(name string, text []byte) ([]byte, *Report) {
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	report := &Report{Diagnostics: diag.FromHCL(problems), Sources: map[string]*hcl.File{name: file}, Invalid: problems.HasErrors()}
	if report.Invalid {
		return text, report
	}
	return hclwrite.Format(text), report
}

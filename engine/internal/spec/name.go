package spec

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
)

// grammar is <distro>-<driver>-<controllers>-<computes>-<hypervisors>. A network has no
// room for numbers of more than three digits.
var grammar = regexp.MustCompile(`^([a-z0-9.]+)-([a-z0-9]+)-(0|[1-9][0-9]{0,2})-(0|[1-9][0-9]{0,2})-([1-9][0-9]{0,2})$`)

// expand makes a spec of a name by the grammar from the template of its distro, or of its
// distro and driver, which may be beside the path or inside the program.
func (l *loader) expand(given string) (found, diag.List) {
	name := strings.TrimSuffix(filepath.Base(given), suffix)
	parts := grammar.FindStringSubmatch(name)
	if parts == nil {
		return found{}, notFound(l.src, given)
	}
	folders := []string{filepath.Dir(given)}
	if _, ok := shippedName(given); ok {
		folders = append(folders, builtinPrefix)
	}
	for _, folder := range folders {
		for _, template := range []string{parts[1] + "-" + parts[2], parts[1]} {
			file := Join(folder, template+templateSuffix)
			if text, err := l.src.ReadFile(file); err == nil {
				return l.render(file, text, name, parts)
			}
		}
	}
	return found{}, notFound(l.src, given)
}

// render fills in a template. The result has the name of the spec file that it replaces.
func (l *loader) render(file string, text []byte, name string, parts []string) (found, diag.List) {
	l.spec.Sources[file] = &hcl.File{Bytes: text}
	expr, problems := hclsyntax.ParseTemplate(text, file, hcl.InitialPos)
	if problems.HasErrors() {
		return found{}, ofTemplate(problems)
	}
	value, problems := expr.Value(&hcl.EvalContext{Variables: map[string]cty.Value{
		"name":        cty.StringVal(name),
		"driver":      cty.StringVal(parts[2]),
		"controllers": number(parts[3]),
		"computes":    number(parts[4]),
		"hypervisors": number(parts[5]),
	}})
	if problems.HasErrors() {
		return found{}, ofTemplate(problems)
	}
	if !value.IsKnown() || value.IsNull() || value.Type() != cty.String {
		return found{}, diag.Errorf(nil, "Invalid template", "The template %s gives no text.", file)
	}
	return found{file: Join(Folder(file), name+suffix), text: []byte(value.AsString())}, nil
}

// number converts digits that the grammar has checked to a value.
func number(digits string) cty.Value {
	n, _ := strconv.ParseInt(digits, 10, 64)
	return cty.NumberIntVal(n)
}

// ofTemplate converts the problems of a template. Most come from an expression that was
// meant for the resulting spec.
func ofTemplate(problems hcl.Diagnostics) diag.List {
	list := diag.FromHCL(problems)
	for i := range list {
		list[i].Detail += " In a template, ${ and %{ that are meant for the spec are written $${ and %%{."
	}
	return list
}

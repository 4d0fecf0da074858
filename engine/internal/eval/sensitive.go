package eval

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/convert"

	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/secret"
)

// masked marks a value as sensitive, and masks its texts from now on.
func masked(value cty.Value, by *secret.Redactor) cty.Value {
	value = sensitive.Mark(value)
	by.Add(sensitive.Texts(value)...)
	return value
}

// tooShort reports secret texts that are too short to mask: masking them would mask half of
// every text.
func tooShort(name string, at hcl.Range, value cty.Value) diag.List {
	value, _ = sensitive.Plain(value)
	if value.Type() == cty.Number {
		return tooShortText(name, at, sensitive.Texts(sensitive.Mark(value)))
	}
	var diags diag.List
	_ = cty.Walk(value, func(path cty.Path, v cty.Value) (bool, error) {
		if v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			diags = append(diags, tooShortText(name+pathText(path), at, []string{v.AsString()})...)
		}
		return true, nil
	})
	return diags
}

func tooShortText(name string, at hcl.Range, texts []string) diag.List {
	for _, text := range texts {
		if n := len(strings.TrimSpace(text)); n > 0 && n < secret.Shortest {
			return diag.Errorf(&at, "Secret too short", "%s is secret and has %s. Fewer than %d cannot be masked in what programs print. Choose a longer value, or keep it out of what is sensitive.",
				name, bytes(n), secret.Shortest)
		}
	}
	return nil
}

func bytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// pathText formats a path inside a value as in expressions.
func pathText(path cty.Path) string {
	text := ""
	for _, step := range path {
		switch step := step.(type) {
		case cty.GetAttrStep:
			text += "." + step.Name
		case cty.IndexStep:
			text += "[" + keyText(step.Key) + "]"
		}
	}
	return text
}

func keyText(key cty.Value) string {
	text, err := convert.Convert(key, cty.String)
	if err != nil || text.IsNull() || !text.IsKnown() {
		return "…"
	}
	if key.Type() == cty.String {
		return fmt.Sprintf("%q", text.AsString())
	}
	return text.AsString()
}

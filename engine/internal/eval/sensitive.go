package eval

import (
	"fmt"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/secret"
)

// sensitive marks a value, and masks its texts from now on.
func (s *Scope) sensitive(value cty.Value) cty.Value {
	value = sensitive.Mark(value)
	s.Mask(value)
	return value
}

// Mask adds the texts in the sensitive parts of a value to the redactor.
func (s *Scope) Mask(value cty.Value) { s.learn(sensitive.Texts(value)...) }

func (s *Scope) learn(texts ...string) {
	if s.in.Redactor != nil {
		s.in.Redactor.Add(texts...)
	}
}

// tooShort reports secret texts that are too short to mask: masking them would mask half of
// every text.
func (s *Scope) tooShort(name string, at hcl.Range, value cty.Value) diag.List {
	value, _ = sensitive.Plain(value)
	if value.Type() == cty.Number {
		return s.tooShortText(name, at, sensitive.Texts(sensitive.Mark(value)))
	}
	var diags diag.List
	_ = cty.Walk(value, func(path cty.Path, v cty.Value) (bool, error) {
		if v.Type() == cty.String && v.IsKnown() && !v.IsNull() {
			diags = append(diags, s.tooShortText(name+pathText(path), at, []string{v.AsString()})...)
		}
		return true, nil
	})
	return diags
}

func (s *Scope) tooShortText(name string, at hcl.Range, texts []string) diag.List {
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

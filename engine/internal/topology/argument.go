package topology

import (
	"regexp"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/spec"
	"kinit/engine/size"
)

// decoder is the state of one Decode.
type decoder struct {
	diag.Collector
	body     *hclsyntax.Body
	drivers  []*spec.Driver
	standard *spec.Driver // of pools that name none, or nil
}

func (d *decoder) vars(raw cty.Value, body *hclsyntax.Body, at hcl.Range) map[string]cty.Value {
	if raw == cty.NilVal || raw.IsNull() {
		return map[string]cty.Value{}
	}
	if t := raw.Type(); !t.IsObjectType() && !t.IsMapType() {
		d.Errorf(argument(body, "vars", at), "Invalid vars", "Give an object, as in: vars = { zone = \"a\" }")
		return map[string]cty.Value{}
	}
	return raw.AsValueMap()
}

var (
	// numbered matches a pattern of names with one %d, which may be padded with zeros.
	numbered = regexp.MustCompile(`^[^%]*%(0[1-9])?d[^%]*$`)
	// label matches a name that can be part of a host name, by RFC 1123.
	label = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$`)
)

func (d *decoder) name(what, name string, at hcl.Range) {
	if !label.MatchString(name) {
		d.Errorf(at, "Invalid name", "The name %q of a %s becomes a part of host names: it has lower case letters, digits and - only, 63 at most, and starts and ends with none of the latter.", name, what)
	}
}

func (d *decoder) atLeast(n, least int, body *hclsyntax.Body, name string) {
	if n < least {
		d.Errorf(argument(body, name, body.SrcRange), "Invalid number", "The argument %q is at least %d; it is %d.", name, least, n)
	}
}

func (d *decoder) size(text string, body *hclsyntax.Body, name string) Size {
	bytes, err := size.Parse(text)
	if err != nil {
		d.Errorf(argument(body, name, body.SrcRange), "Invalid size", "The argument %q is no size: %v.", name, err)
	}
	return Size{Text: text, Bytes: bytes}
}

// argument returns the place of an argument's value, or the other place.
func argument(body *hclsyntax.Body, name string, otherwise hcl.Range) hcl.Range {
	if attr := body.Attributes[name]; attr != nil {
		return attr.Expr.Range()
	}
	return otherwise
}

func or[T any](value *T, otherwise T) T {
	if value == nil {
		return otherwise
	}
	return *value
}

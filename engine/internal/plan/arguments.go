package plan

import (
	"cmp"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/event"
	"kinit/engine/internal/sensitive"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// Arguments lists the arguments of a decoded task that have a value, and the
// secrets among them. What is a secret by its type is masked, and so is what the
// module keeps to itself by the tag log:"-". Of sensitive values, only what may be
// shown is listed.
func Arguments(task module.Task, hidden Sensitivity) (values []event.Value, secrets []string) {
	a := &lister{hidden: hidden}
	a.structure("", reflect.ValueOf(task).Elem())
	return a.values, a.secrets
}

// lister is the state of one Arguments.
type lister struct {
	hidden  Sensitivity
	values  []event.Value
	secrets []string
}

func (a *lister) structure(prefix string, v reflect.Value) {
	for _, f := range fields(v.Type()) {
		into, name := v.Field(f.position), prefix+f.name
		switch {
		case into.IsZero():
		case f.kind == "block":
			a.block(name, into)
		case v.Type().Field(f.position).Tag.Get("log") == "-":
			a.values = append(a.values, event.Value{Name: name, Text: "(not shown)", Mask: true})
		default:
			a.argument(name, into)
		}
	}
}

// block lists the arguments of a nested block, or of several.
func (a *lister) block(name string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		a.block(name, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			a.block(fmt.Sprintf("%s[%d]", name, i), v.Index(i))
		}
	case reflect.Struct:
		a.structure(name+".", v)
	}
}

func (a *lister) argument(name string, v reflect.Value) {
	for v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	before := len(a.secrets)
	a.reveal(v)
	text := fmt.Sprint(v.Interface())
	if v.Kind() != reflect.String {
		encoded, err := json.Marshal(v.Interface()) // a secret.Value masks itself
		if err != nil {
			encoded = []byte("(" + err.Error() + ")")
		}
		text = string(encoded)
	}
	mask := len(a.secrets) > before
	if veil, ok := a.hidden.veils[name]; ok && !mask {
		text, mask = sensitive.Text(veil.shown), true
	}
	a.values = append(a.values, event.Value{Name: name, Text: text, Mask: mask})
}

// reveal collects the secrets in a value.
func (a *lister) reveal(v reflect.Value) {
	if s, ok := v.Interface().(secret.Value); ok {
		if !certificates(s.Reveal()) {
			a.secrets = append(a.secrets, s.Reveal())
		}
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			a.reveal(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			a.reveal(v.Index(i))
		}
	case reflect.Map:
		for each := v.MapRange(); each.Next(); {
			a.reveal(each.Value())
		}
	}
}

// certificates tells whether a text is certificates in PEM (RFC 7468) and nothing else.
// They are public wherever they stand, as beside their keys in a map of secrets.
func certificates(text string) bool {
	const begin = "-----BEGIN CERTIFICATE-----"
	rest := strings.TrimSpace(text)
	if !strings.HasPrefix(rest, begin) {
		return false
	}
	for strings.HasPrefix(rest, begin) {
		block, after := pem.Decode([]byte(rest))
		if block == nil || block.Type != "CERTIFICATE" {
			return false
		}
		rest = strings.TrimSpace(string(after))
	}
	return rest == ""
}

// secretLiterals finds the texts in a block's arguments that are secrets by the
// type of the argument, in the order of the file.
func (b *block) secretLiterals() []hcl.Range {
	if b.kind == nil {
		return nil
	}
	found := &literals{}
	mark(found, b.spec.Args, reflect.TypeOf(b.kind.New()).Elem())
	slices.SortFunc(found.found, func(x, y hcl.Range) int { return cmp.Compare(x.Start.Byte, y.Start.Byte) })
	return found.found
}

// mark adds the literals of a body's secret arguments.
func mark(found *literals, body *hclsyntax.Body, t reflect.Type) {
	for _, f := range fields(t) {
		kind := t.Field(f.position).Type
		if f.kind == "block" {
			for _, inner := range named(body, f.name) {
				mark(found, inner, elementType(kind))
			}
			continue
		}
		if attr := body.Attributes[f.name]; attr != nil && elementType(kind) == reflect.TypeFor[secret.Value]() {
			_ = hclsyntax.Walk(attr.Expr, found)
		}
	}
}

// named lists the bodies of the blocks of a type, of dynamic ones the content.
func named(body *hclsyntax.Body, name string) []*hclsyntax.Body {
	var all []*hclsyntax.Body
	for _, inner := range body.Blocks {
		switch {
		case inner.Type == name:
			all = append(all, inner.Body)
		case inner.Type == dynamic && len(inner.Labels) == 1 && inner.Labels[0] == name:
			if content, _ := parts(inner); content != nil {
				all = append(all, content)
			}
		}
	}
	return all
}

// elementType is what a type holds one or many of.
func elementType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

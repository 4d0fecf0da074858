// Package decode puts arguments into Go structs, as far as they are known, and lists what
// may be shown of them. It does not depend on plans.
//
// Its files, each of which uses those before it alone: field.go, shared.go, decode.go,
// show.go, literals.go.
package decode

import (
	"reflect"
	"strings"

	"kinit/engine/module"
)

// field is a field of a struct with an hcl tag.
type field struct {
	name     string
	kind     string // "", "optional", "block" or "label"
	position int
}

// fields lists the fields of a struct with an hcl tag.
func fields(t reflect.Type) []field {
	var all []field
	for i := range t.NumField() {
		tag, ok := t.Field(i).Tag.Lookup("hcl")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(tag, ",")
		if kind == "attr" {
			kind = ""
		}
		all = append(all, field{name: name, kind: kind, position: i})
	}
	return all
}

// elementType returns the element type of a pointer, slice or map, or the type itself.
func elementType(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// Text returns a text argument as the module set it, and whether the name exists.
func Text(made module.Task, name string) (string, bool) {
	v := reflect.ValueOf(made).Elem()
	for _, f := range fields(v.Type()) {
		if into := v.Field(f.position); f.name == name && into.Kind() == reflect.String {
			return into.String(), true
		}
	}
	return "", false
}

// Package decode puts arguments into Go structs, as far as they are known, and lists what
// may be shown of them. It does not depend on plans.
package decode

import (
	"reflect"

	"kinit/engine/module"
)

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
	for _, f := range module.Arguments(v.Type()) {
		if into := v.FieldByIndex(f.Field.Index); f.Name == name && into.Kind() == reflect.String {
			return into.String(), true
		}
	}
	return "", false
}

package module

import (
	"context"
	"fmt"
	"reflect"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/secret"
)

// OutputTypes returns the names and types of a task's outputs, nil for a task without any.
// Outputs of type *secret.Value or secret.Value are secret.
//
// A task has outputs when it has a method
//
//	Outputs(ctx context.Context, h Host) (T, error)
//
// that reads them after the task's steps; in a dry run it is called only when Plan returned
// no steps. T is a struct, and each of its fields has a tag cty:"name". A field that is an
// argument has one more, which ArgumentOutput describes.
func OutputTypes(task Task) map[string]cty.Type {
	read, ok := reader(task)
	if !ok {
		return nil
	}
	return typeOf(read.Type().Out(0)).AttributeTypes()
}

// SecretOutputs returns the names of a task's secret outputs.
func SecretOutputs(task Task) []string {
	read, ok := reader(task)
	if !ok {
		return nil
	}
	var names []string
	for field := range read.Type().Out(0).Fields() {
		if field.Type == reflect.TypeFor[secret.Value]() {
			names = append(names, field.Tag.Get("cty"))
		}
	}
	return names
}

// Outputs reads the values, nil for a task without any.
func Outputs(ctx context.Context, task Task, h Host) (map[string]cty.Value, error) {
	read, ok := reader(task)
	if !ok {
		return nil, nil
	}
	found := read.Call([]reflect.Value{reflect.ValueOf(ctx), reflect.ValueOf(&h).Elem()})
	if err, _ := found[1].Interface().(error); err != nil {
		return nil, err
	}
	values := valueOf(found[0]).AsValueMap()
	for _, one := range ArgumentOutputs(task) {
		values[one.Output] = one.Default // of this task: what it was decoded with
	}
	return values, nil
}

// reader is a task's method Outputs, which With has checked.
func reader(task Task) (reflect.Value, bool) {
	method := reflect.ValueOf(task).MethodByName("Outputs")
	return method, method.IsValid()
}

// Exact is an output that a playbook can pass on byte for byte, whatever its bytes are. It is null if a value cannot
// hold it: values compose letters and their accents (Unicode's form NFC).
type Exact string

// value returns the value of the text.
func (e Exact) value() cty.Value {
	if value := cty.StringVal(string(e)); value.AsString() == string(e) {
		return value
	}
	return cty.NullVal(cty.String)
}

// typeOf returns the type of values of a Go type. A struct's fields have tags.
func typeOf(t reflect.Type) cty.Type {
	switch t.Kind() {
	case reflect.String:
		return cty.String
	case reflect.Bool:
		return cty.Bool
	case reflect.Int, reflect.Int64, reflect.Uint64, reflect.Float64:
		return cty.Number
	case reflect.Slice:
		return cty.List(typeOf(t.Elem()))
	case reflect.Map:
		return cty.Map(typeOf(t.Elem()))
	case reflect.Struct:
		if t == reflect.TypeFor[cty.Value]() {
			return cty.DynamicPseudoType
		}
		types := map[string]cty.Type{}
		for field := range t.Fields() {
			types[field.Tag.Get("cty")] = typeOf(field.Type)
		}
		return cty.Object(types)
	}
	panic(fmt.Sprintf("module: an output is of type %s, which has no counterpart in playbooks; this is a bug in kinit", t))
}

// valueOf converts a value for playbooks; nil becomes an empty list or map.
func valueOf(v reflect.Value) cty.Value {
	if text, ok := v.Interface().(Exact); ok {
		return text.value()
	}
	switch v.Kind() {
	case reflect.String:
		return cty.StringVal(v.String())
	case reflect.Bool:
		return cty.BoolVal(v.Bool())
	case reflect.Int, reflect.Int64:
		return cty.NumberIntVal(v.Int())
	case reflect.Uint64:
		return cty.NumberUIntVal(v.Uint())
	case reflect.Float64:
		return cty.NumberFloatVal(v.Float())
	case reflect.Slice:
		all := make([]cty.Value, v.Len())
		for i := range all {
			all[i] = valueOf(v.Index(i))
		}
		if len(all) == 0 {
			return cty.ListValEmpty(typeOf(v.Type().Elem()))
		}
		return cty.ListVal(all)
	case reflect.Map:
		all := map[string]cty.Value{}
		for key, element := range v.Seq2() {
			all[key.String()] = valueOf(element)
		}
		if len(all) == 0 {
			return cty.MapValEmpty(typeOf(v.Type().Elem()))
		}
		return cty.MapVal(all)
	}
	if value, ok := v.Interface().(cty.Value); ok {
		return value
	}
	all := map[string]cty.Value{}
	for field, value := range v.Fields() {
		all[field.Tag.Get("cty")] = valueOf(value)
	}
	return cty.ObjectVal(all)
}

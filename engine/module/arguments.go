package module

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// Argument is a field of a task, or of a block in it, that playbooks give a value.
type Argument struct {
	Name  string
	Kind  string // "" for one that is required, "optional", "block" or "label"
	Field reflect.StructField
}

// Arguments lists the fields of a struct that have an hcl tag, those of embedded structs in
// their place. The caller must not change the list.
func Arguments(t reflect.Type) []Argument {
	if known, ok := argumentsOfTypes.Load(t); ok {
		return known.([]Argument)
	}
	known, _ := argumentsOfTypes.LoadOrStore(t, slices.Clip(readArguments(t)))
	return known.([]Argument)
}

// argumentsOfTypes keeps what readArguments returns for a type, which is always the same: a plan makes
// many tasks of few types.
var argumentsOfTypes sync.Map

func readArguments(t reflect.Type) []Argument {
	var all []Argument
	for _, field := range reflect.VisibleFields(t) {
		if tag, ok := field.Tag.Lookup("hcl"); ok {
			name, kind, _ := strings.Cut(tag, ",")
			all = append(all, Argument{Name: name, Kind: strings.TrimPrefix(kind, "attr"), Field: field})
		}
	}
	return all
}

// Words returns the values that the argument may have, nil for any.
func (a Argument) Words() []string {
	text, ok := a.Field.Tag.Lookup("enum")
	if !ok {
		return nil
	}
	return strings.Split(text, ",")
}

// Presence is embedded in the tasks of objects that can be there or not.
type Presence struct {
	// State is whether the object should be there.
	State string `hcl:"state,optional" enum:"present,absent" default:"present"`
}

// Absent reports whether the object should not be there.
func (p Presence) Absent() bool { return p.State == "absent" }

// SetDefaults gives the fields of a task the values of their tags, such as
// default:"present"; lists are separated by commas.
func SetDefaults[T any](task *T) *T {
	Default(reflect.ValueOf(task).Elem())
	return task
}

// Default does so for a task or a block.
func Default(target reflect.Value) {
	for _, a := range Arguments(target.Type()) {
		if text, ok := a.Field.Tag.Lookup("default"); ok {
			setText(target.FieldByIndex(a.Field.Index), text)
		}
	}
}

// setText sets a field to a value that is written as text.
func setText(value reflect.Value, text string) {
	var err error
	switch value.Kind() {
	case reflect.String:
		value.SetString(text)
	case reflect.Bool:
		var is bool
		is, err = strconv.ParseBool(text)
		value.SetBool(is)
	case reflect.Int:
		var number int64
		number, err = strconv.ParseInt(text, 10, 0)
		value.SetInt(number)
	case reflect.Slice:
		parts := strings.Split(text, ",")
		value.Set(reflect.MakeSlice(value.Type(), len(parts), len(parts)))
		for i, part := range parts {
			setText(value.Index(i), part)
		}
	default:
		err = fmt.Errorf("an argument of type %s cannot have a default", value.Type())
	}
	if err != nil {
		panic(fmt.Sprintf("module: default %q: %v; this is a bug in kinit", text, err))
	}
}

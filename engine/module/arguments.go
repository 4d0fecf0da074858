package module

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Argument is a field of a task, or of a block in it, that playbooks give a value.
type Argument struct {
	Name  string
	Kind  string // "" for one that is required, "optional", "block" or "label"
	Field reflect.StructField
}

// Arguments lists the fields of a struct that have an hcl tag, those of embedded structs in
// their place.
func Arguments(t reflect.Type) []Argument {
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

// Check returns the first mistake in a task's arguments that can be found without a host: a
// value that a tag such as enum:"present,absent" does not list, or the error of the task's
// Validate.
func Check(task Task) error {
	if value := reflect.ValueOf(task); value.Kind() == reflect.Pointer {
		if err := checkWords(value.Elem()); err != nil {
			return err
		}
	}
	if v, ok := task.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// checkWords checks a task or a block with its inner blocks.
func checkWords(arguments reflect.Value) error {
	for _, a := range Arguments(arguments.Type()) {
		value := arguments.FieldByIndex(a.Field.Index)
		if a.Kind == "block" {
			if err := checkBlocks(a.Name, value); err != nil {
				return err
			}
		}
		if err := a.check(value); err != nil {
			return err
		}
	}
	return nil
}

// checkBlocks checks a block, a pointer to one, or a list of them.
func checkBlocks(name string, value reflect.Value) error {
	switch value.Kind() {
	case reflect.Pointer:
		if !value.IsNil() {
			return checkBlocks(name, value.Elem())
		}
	case reflect.Slice:
		for i := range value.Len() {
			if err := checkBlocks(fmt.Sprintf("%s %d", name, i+1), value.Index(i)); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if err := checkWords(value); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// check compares a text, or each of a list, with the words. An optional argument without a
// default may be empty.
func (a Argument) check(value reflect.Value) error {
	words := a.Words()
	if words == nil {
		return nil
	}
	want := "want one of " + strings.Join(words, ", ")
	if value.Kind() == reflect.Slice {
		for _, one := range value.Seq2() {
			if !slices.Contains(words, one.String()) {
				return fmt.Errorf("%s has %q, %s", a.Name, one.String(), want)
			}
		}
		return nil
	}
	if _, given := a.Field.Tag.Lookup("default"); value.String() == "" && !given && a.Kind == "optional" {
		return nil
	}
	if !slices.Contains(words, value.String()) {
		return fmt.Errorf("%s is %q, %s", a.Name, value.String(), want)
	}
	return nil
}

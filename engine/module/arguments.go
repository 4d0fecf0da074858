package module

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// SetDefaults gives the fields of a task the values of their tags, such as
// default:"present"; lists are separated by commas.
func SetDefaults[T any](task *T) *T {
	target := reflect.ValueOf(task).Elem()
	for field, value := range target.Fields() {
		if text, ok := field.Tag.Lookup("default"); ok {
			setText(value, text)
		}
	}
	return task
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
	if err := checkWords(reflect.ValueOf(task)); err != nil {
		return err
	}
	if v, ok := task.(Validator); ok {
		return v.Validate()
	}
	return nil
}

func checkWords(task reflect.Value) error {
	if task.Kind() != reflect.Pointer {
		return nil
	}
	for field, value := range task.Elem().Fields() {
		words := Words(field)
		if words == nil {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("hcl"), ",")
		if _, given := field.Tag.Lookup("default"); value.String() == "" && !given && strings.HasSuffix(field.Tag.Get("hcl"), ",optional") {
			continue
		}
		if !slices.Contains(words, value.String()) {
			return fmt.Errorf("%s is %q, want one of %s", name, value.String(), strings.Join(words, ", "))
		}
	}
	return nil
}

// Words returns the values that an argument may have, nil for any.
func Words(field reflect.StructField) []string {
	text, ok := field.Tag.Lookup("enum")
	if !ok {
		return nil
	}
	return strings.Split(text, ",")
}

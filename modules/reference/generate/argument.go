package main

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/secret"
	"kinit/modules/reference"
)

// describeArguments describes the fields of a struct that have hcl tags.
func describeArguments(src *source, value reflect.Value) ([]reference.Argument, error) {
	doc, err := src.of(value.Type())
	if err != nil {
		return nil, err
	}
	var all []reference.Argument
	var lacking []error
	for i := range value.NumField() {
		field := value.Type().Field(i)
		tag, ok := field.Tag.Lookup("hcl")
		if !ok {
			continue
		}
		name, kind, _ := strings.Cut(tag, ",")
		if doc.fields[field.Name] == "" {
			lacking = append(lacking, fmt.Errorf("argument %s has no comment", name))
		}
		a := reference.Argument{Name: name, Required: kind == "", Text: meaning(field.Name, plainText(doc.fields[field.Name]))}
		if kind == "block" {
			err = describeBlock(src, field.Type, &a)
		} else {
			err = describeValue(value.Field(i), kind, &a)
		}
		if err != nil {
			lacking = append(lacking, fmt.Errorf("argument %s: %w", name, err))
		}
		all = append(all, a)
	}
	return all, errors.Join(lacking...)
}

// describeBlock describes a block: a struct, a pointer to one, or a slice of
// either.
func describeBlock(src *source, t reflect.Type, a *reference.Argument) error {
	a.Type = "block"
	if t.Kind() == reflect.Slice {
		a.Repeated, t = true, t.Elem()
	}
	a.Required = t.Kind() == reflect.Struct && !a.Repeated
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var err error
	a.Arguments, err = describeArguments(src, reflect.New(t).Elem())
	return err
}

// describeValue describes an argument with a value, or the label of a block.
func describeValue(value reflect.Value, kind string, a *reference.Argument) error {
	t, err := gocty.ImpliedType(value.Addr().Interface())
	if err != nil {
		return err
	}
	a.Type, a.Secret = typeexpr.TypeString(t), isSecret(value.Type())
	if kind == "label" {
		a.Type, a.Required = "label", true
	}
	if kind != "optional" || value.IsZero() && value.Kind() != reflect.Bool {
		return nil
	}
	v, err := gocty.ToCtyValue(value.Interface(), t)
	if err != nil || t == cty.DynamicPseudoType {
		return err
	}
	a.Default = string(hclwrite.TokensForValue(v).Bytes())
	return nil
}

// isSecret reports whether a type holds secret values.
func isSecret(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return isSecret(t.Elem())
	}
	return t == reflect.TypeFor[secret.Value]()
}

package main

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/reference"
)

// describeArguments describes the arguments of a task or of a block.
func describeArguments(src *source, value reflect.Value) ([]reference.Argument, error) {
	var all []reference.Argument
	var lacking []error
	for _, argument := range module.Arguments(value.Type()) {
		field := argument.Field
		doc, err := src.of(declarer(value.Type(), field))
		if err != nil {
			return nil, err
		}
		if doc.fields[field.Name] == "" {
			lacking = append(lacking, fmt.Errorf("argument %s has no comment", argument.Name))
		}
		a := reference.Argument{
			Name: argument.Name, Required: argument.Kind == "", Words: argument.Words(),
			Text: meaning(field.Name, plainText(doc.fields[field.Name])),
		}
		if argument.Kind == "block" {
			err = describeBlock(src, field.Type, &a)
		} else {
			err = describeValue(value.FieldByIndex(field.Index), argument.Kind, &a)
		}
		if err != nil {
			lacking = append(lacking, fmt.Errorf("argument %s: %w", argument.Name, err))
		}
		all = append(all, a)
	}
	return all, errors.Join(lacking...)
}

// declarer returns the struct that declares a field: the type itself, or one that is
// embedded in it.
func declarer(t reflect.Type, field reflect.StructField) reflect.Type {
	if outer := field.Index[:len(field.Index)-1]; len(outer) > 0 {
		return t.FieldByIndex(outer).Type
	}
	return t
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
	block := reflect.New(t).Elem()
	module.Default(block)
	a.Arguments, err = describeArguments(src, block)
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

func isSecret(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return isSecret(t.Elem())
	}
	return t == reflect.TypeFor[secret.Value]()
}

package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/hashicorp/hcl/v2/hclwrite"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/gocty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/reference"
)

// summaryLength is how long the first sentence of a module's comment may be, so
// that it fits a line of a list.
const summaryLength = 100

// exampleSuffix is what the names of examples end with.
const exampleSuffix = ".example.hcl"

// describe makes the reference of a module of its code and comments. With an
// error, which names all that is missing, it is as complete as it can be.
func describe(src *source, kind module.Kind) (reference.Module, error) {
	m := reference.Module{Name: kind.Name, Arguments: []reference.Argument{}, Outputs: []reference.Output{}, Errors: []string{}}
	task := kind.New()
	value := reflect.ValueOf(task).Elem()
	doc, err := src.of(value.Type())
	if err != nil {
		return m, err
	}
	text := parseDoc(value.Type().Name(), doc.text)
	m.Summary, m.Text, m.Errors = text.summary(), text.text, append(m.Errors, text.errors...)
	arguments, argumentErr := describeArguments(src, value)
	outputs, outputErr := describeOutputs(src, task)
	m.Arguments, m.Outputs = append(m.Arguments, arguments...), append(m.Outputs, outputs...)
	var exampleErr error
	m.Example, exampleErr = readExample(src.root, value.Type(), kind.Name)
	return m, errors.Join(argumentErr, outputErr, exampleErr, checkText(m))
}

// checkText checks what a comment must have at least.
func checkText(m reference.Module) error {
	if n := len([]rune(m.Summary)); n > summaryLength {
		return fmt.Errorf("the first sentence of its comment has %d characters, want at most %d: %s", n, summaryLength, m.Summary)
	}
	if len(m.Errors) == 0 {
		return errors.New("its comment has no list after \"Errors:\"")
	}
	return nil
}

// describeOutputs joins the types of a task's outputs with the comments of their fields.
func describeOutputs(src *source, task module.Task) ([]reference.Output, error) {
	method, ok := reflect.TypeOf(task).MethodByName("Outputs")
	if !ok {
		return nil, nil
	}
	doc, err := src.of(method.Type.Out(0))
	if err != nil {
		return nil, err
	}
	var all []reference.Output
	var lacking []error
	types, arguments := module.OutputTypes(task), map[string]string{}
	for _, one := range module.ArgumentOutputs(task) {
		arguments[one.Output] = one.Argument
	}
	for field := range method.Type.Out(0).Fields() {
		name, text := field.Tag.Get("cty"), capital(plainText(doc.fields[field.Name]))
		if text == "" {
			lacking = append(lacking, fmt.Errorf("output %s has no comment", name))
		}
		if argument := arguments[name]; argument != "" {
			text += fmt.Sprintf("; it is the argument %s, so that a plan knows it", argument)
		}
		all = append(all, reference.Output{Name: name, Type: typeexpr.TypeString(types[name]), Text: text})
	}
	slices.SortFunc(all, func(a, b reference.Output) int { return strings.Compare(a.Name, b.Name) })
	return all, errors.Join(lacking...)
}

// readExample reads the module's example, which is in the folder of its code.
func readExample(root string, t reflect.Type, name string) (string, error) {
	folder := strings.TrimPrefix(t.PkgPath(), ownModule)
	text, err := os.ReadFile(filepath.Join(root, folder, name+exampleSuffix))
	if err != nil {
		return "", fmt.Errorf("its example: %w", err)
	}
	return string(text), nil
}

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

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

	"kinit/engine/module"
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

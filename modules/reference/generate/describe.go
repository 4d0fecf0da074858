package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/hashicorp/hcl/v2/ext/typeexpr"
	"github.com/zclconf/go-cty/cty"

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
	text, err := parseDoc(value.Type().Name(), doc.text)
	if err != nil {
		return m, err
	}
	m.Summary, m.Text, m.Errors = text.summary(), text.text, append(m.Errors, text.errors...)
	arguments, argumentErr := describeArguments(src, value)
	outputs, outputErr := describeOutputs(task, text.outputs)
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

// describeOutputs joins the types of the code with the meanings of the comment.
func describeOutputs(task module.Task, meanings map[string]string) ([]reference.Output, error) {
	outputter, ok := task.(module.Outputter)
	if !ok {
		return nil, undeclared(meanings, nil)
	}
	var all []reference.Output
	var lacking []error
	types := outputter.OutputTypes()
	for _, name := range slices.Sorted(maps.Keys(types)) {
		if meanings[name] == "" {
			lacking = append(lacking, fmt.Errorf("output %s is not in the list after \"Outputs:\" in its comment", name))
		}
		all = append(all, reference.Output{Name: name, Type: typeexpr.TypeString(types[name]), Text: meanings[name]})
	}
	return all, errors.Join(append(lacking, undeclared(meanings, types))...)
}

// undeclared tells of meanings of outputs that there are not.
func undeclared(meanings map[string]string, types map[string]cty.Type) error {
	for _, name := range slices.Sorted(maps.Keys(meanings)) {
		if _, ok := types[name]; !ok {
			return fmt.Errorf("its comment describes the output %s, which OutputTypes does not have", name)
		}
	}
	return nil
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

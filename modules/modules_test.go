package modules_test

import (
	"io/fs"
	"os"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/modules"
)

// TestNoArgumentHidesOneThatEveryTaskHas: the engine reads these itself, so that a
// module would never see them.
func TestNoArgumentHidesOneThatEveryTaskHas(t *testing.T) {
	t.Parallel()
	reserved := []string{"stage", "host", "hosts", "for_each", "when", "depends_on", "timeout", "on_failure", "always", "retry", "tags", "throttle"}
	seen := map[string]bool{}
	for _, kind := range modules.All() {
		if seen[kind.Name] {
			t.Errorf("two modules are called %s", kind.Name)
		}
		seen[kind.Name] = true
		for _, a := range module.Arguments(reflect.TypeOf(kind.New()).Elem()) {
			if slices.Contains(reserved, a.Name) {
				t.Errorf("%s has an argument %s, which is the engine's", kind.Name, a.Name)
			}
		}
	}
}

// TestWhatATaskSaysOfItselfIsHeard: a method of the contract's name with another signature
// would be passed over.
func TestWhatATaskSaysOfItselfIsHeard(t *testing.T) {
	t.Parallel()
	for _, contract := range []reflect.Type{
		reflect.TypeFor[module.Validator](), reflect.TypeFor[module.Discreet](), reflect.TypeFor[module.Sourced](),
		reflect.TypeFor[module.Messenger](), reflect.TypeFor[module.Judged](), reflect.TypeFor[module.Unverifiable](),
		reflect.TypeFor[module.Aging](), reflect.TypeFor[module.Connector](),
	} {
		for _, kind := range modules.All() {
			task := reflect.TypeOf(kind.New())
			for method := range contract.Methods() {
				if _, has := task.MethodByName(method.Name); has && method.Name != "Plan" && !task.Implements(contract) {
					t.Errorf("%s has a method %s, and is no %s", kind.Name, method.Name, contract)
				}
			}
		}
	}
}

// TestOutputsThatAreArgumentsHaveTheirType: a plan uses the argument's value for the output.
func TestOutputsThatAreArgumentsHaveTheirType(t *testing.T) {
	t.Parallel()
	found := 0
	for _, kind := range modules.All() {
		types := module.OutputTypes(kind.New())
		for _, one := range module.ArgumentOutputs(kind.New()) {
			found++
			if !one.Default.Type().Equals(types[one.Output]) {
				t.Errorf("%s: the output %s is a %#v, and the argument %s a %#v", kind.Name, one.Output, types[one.Output], one.Argument, one.Default.Type())
			}
		}
	}
	if found == 0 {
		t.Error("no module has such an output")
	}
}

// TestDefaultsAreAmongTheWords: a default of an enumerated argument is one of its values.
func TestDefaultsAreAmongTheWords(t *testing.T) {
	t.Parallel()
	for _, kind := range modules.All() {
		task := reflect.ValueOf(kind.New()).Elem()
		for _, a := range module.Arguments(task.Type()) {
			words, value := a.Words(), task.FieldByIndex(a.Field.Index)
			if words != nil && value.Kind() == reflect.String && value.String() != "" && !slices.Contains(words, value.String()) {
				t.Errorf("%s: the default of %s is %q, which is none of %q", kind.Name, a.Name, value, words)
			}
		}
	}
}

// TestEveryKindOfMarksIsUndone: sweep undoes the kinds that modules list, so a kind that is
// declared must be listed.
func TestEveryKindOfMarksIsUndone(t *testing.T) {
	t.Parallel()
	declared := 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		declared += strings.Count(string(text), "module.NewMarkKind(")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if listed := len(module.MarkKinds(modules.All())); listed != declared {
		t.Errorf("modules declare %d kinds of marks, and list %d in their Kind", declared, listed)
	}
}

// TestMarksAreOfDeclaredKinds: a mark of a kind that no module lists would never be undone.
func TestMarksAreOfDeclaredKinds(t *testing.T) {
	t.Parallel()
	kinds := map[string]bool{}
	for _, kind := range module.MarkKinds(modules.All()) {
		kinds[kind.Name] = true
	}
	literal, found := regexp.MustCompile(`Mark\{Kind: "(\w+)"`), 0
	err := fs.WalkDir(os.DirFS("."), ".", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return err
		}
		text, err := os.ReadFile(name)
		for _, match := range literal.FindAllStringSubmatch(string(text), -1) {
			found++
			if !kinds[match[1]] {
				t.Errorf("%s makes a mark of the kind %q, which no module lists", name, match[1])
			}
		}
		return err
	})
	if err != nil || found == 0 {
		t.Errorf("%d marks found, %v", found, err)
	}
}

// TestAFolderIsNamedAsItsModule: one with several modules has the name of one of them, or
// what all their names begin with.
func TestAFolderIsNamedAsItsModule(t *testing.T) {
	t.Parallel()
	names := map[string][]string{}
	for _, kind := range modules.All() {
		folder := path.Base(reflect.TypeOf(kind.New()).Elem().PkgPath())
		names[folder] = append(names[folder], kind.Name)
	}
	for folder, all := range names {
		others := slices.ContainsFunc(all, func(name string) bool { return !strings.HasPrefix(name, folder+"_") })
		if !slices.Contains(all, folder) && others {
			t.Errorf("the folder modules/%s has %s in it", folder, strings.Join(all, ", "))
		}
	}
}

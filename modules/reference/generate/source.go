package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
)

// ownModule is the path of kinit's own Go module.
const ownModule = "kinit/"

// source reads Go files of the repository for the comments in them.
type source struct {
	root    string
	folders map[string]declared
}

// declared are the struct types of a package, by name.
type declared map[string]structDoc

// structDoc is the comments of a struct type.
type structDoc struct {
	text   string
	fields map[string]string
}

func (s *source) of(t reflect.Type) (structDoc, error) {
	folder, ok := strings.CutPrefix(t.PkgPath(), ownModule)
	if !ok {
		return structDoc{}, fmt.Errorf("type %s is of another module", t)
	}
	if s.folders[folder] == nil {
		types, err := readFolder(filepath.Join(s.root, folder))
		if err != nil {
			return structDoc{}, err
		}
		s.folders[folder] = types
	}
	found, ok := s.folders[folder][t.Name()]
	if !ok {
		return structDoc{}, fmt.Errorf("type %s is not in %s", t.Name(), folder)
	}
	return found, nil
}

func readFolder(folder string) (declared, error) {
	names, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	types := declared{}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, types.collect)
	}
	return types, nil
}

// collect keeps the struct types of a file's top level.
func (d declared) collect(n ast.Node) bool {
	decl, ok := n.(*ast.GenDecl)
	if !ok || decl.Tok != token.TYPE {
		_, isFunction := n.(*ast.FuncDecl)
		return !isFunction
	}
	for _, spec := range decl.Specs {
		spec := spec.(*ast.TypeSpec)
		body, ok := spec.Type.(*ast.StructType)
		if !ok {
			continue
		}
		comment := spec.Doc
		if comment == nil {
			comment = decl.Doc
		}
		d[spec.Name.Name] = structDoc{text: comment.Text(), fields: fieldComments(body)}
	}
	return false
}

func fieldComments(body *ast.StructType) map[string]string {
	all := map[string]string{}
	for _, field := range body.Fields.List {
		comment := field.Doc
		if comment == nil {
			comment = field.Comment
		}
		for _, name := range field.Names {
			all[name.Name] = comment.Text()
		}
	}
	return all
}

package main

import (
	"fmt"
	"go/ast"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
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

// taskDoc is the comment of a module's task, taken apart.
type taskDoc struct {
	text   string   // what is not the list
	errors []string // the list after "Errors:"
}

// parseDoc takes a type's comment apart. The paragraph "Errors:" with the list that
// follows it is the module's errors:
//
//	// Errors:
//	//   - the file is a folder
func parseDoc(name, text string) taskDoc {
	var out taskDoc
	var rest []comment.Block
	heading := false
	for _, block := range new(comment.Parser).Parse(text).Content {
		if list, ok := block.(*comment.List); ok && heading {
			for _, item := range list.Items {
				out.errors = append(out.errors, plain(item.Content...))
			}
			heading = false
			continue
		}
		p, ok := block.(*comment.Paragraph)
		if heading = ok && plain(p) == "Errors:"; !heading {
			rest = append(rest, block)
		}
	}
	out.text = meaning(name, plain(rest...))
	return out
}

// plain is a comment's text with a line for each paragraph.
func plain(blocks ...comment.Block) string {
	printer := &comment.Printer{TextWidth: -1}
	return strings.TrimSpace(string(printer.Text(&comment.Doc{Content: blocks})))
}

// meaning is a comment without the name it begins with, as comments in Go do:
// "Dest is the path." says "The path.".
func meaning(name, text string) string {
	if rest, ok := strings.CutPrefix(text, name+", "); ok {
		return capital(rest)
	}
	rest, ok := strings.CutPrefix(text, name+" ")
	if !ok {
		return capital(text)
	}
	for _, verb := range []string{"is ", "are "} {
		if after, ok := strings.CutPrefix(rest, verb); ok {
			return capital(after)
		}
	}
	return capital(rest)
}

func capital(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return text
	}
	return string(unicode.ToUpper(first)) + text[size:]
}

func (d taskDoc) summary() string {
	first, _, _ := strings.Cut(d.text, "\n")
	first, _, _ = strings.Cut(first, ". ")
	return strings.TrimSuffix(first, ".")
}

func plainText(text string) string {
	return plain(new(comment.Parser).Parse(text).Content...)
}

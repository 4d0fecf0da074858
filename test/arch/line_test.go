package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// namedWithFile finds one or two functions and their file, as in "`a` and `b` (`x.go`)" and
	// "(`a`, `x.go`)".
	namedWithFile = regexp.MustCompile("`([A-Za-z.]+)`(?: and `([A-Za-z.]+)`)?(?: \\(|, )`([a-z_/]+\\.go)`\\)")
	// folderOf finds the folder of the files that follow without one.
	folderOf = regexp.MustCompile("The files of steps [0-9]+ (?:to|and) [0-9]+ are in `([a-z/]+)`")
)

// indirect are functions of the line that no function of the line calls by name, and who calls
// them.
var indirect = map[string]string{
	"main": "the system",
}

// TestArchitectureNamesFunctionsOfTheirFiles keeps the path of a task in ARCHITECTURE.md
// true: each function that it names is in the file that it names.
func TestArchitectureNamesFunctionsOfTheirFiles(t *testing.T) {
	t.Parallel()
	functions := lineFunctions(t)
	for _, f := range functions {
		if f.body == nil {
			t.Errorf("ARCHITECTURE.md says that %s is in %s, which does not have it", f.name, f.file)
		}
	}
	if len(functions) < 60 {
		t.Errorf("the section names %d functions with their files, want at least 60", len(functions))
	}
}

// TestArchitectureLeavesOutNoFunctionOfTheLine lets a reader follow the path from function to
// function: another one that the section names calls it.
func TestArchitectureLeavesOutNoFunctionOfTheLine(t *testing.T) {
	t.Parallel()
	functions := lineFunctions(t)
	for _, f := range functions {
		called := slices.ContainsFunc(functions, func(other named) bool {
			return other.body != nil && other.body != f.body && mentions(other.body, f.short())
		})
		if called == (indirect[f.name] != "") {
			t.Errorf("ARCHITECTURE.md names %s: another function there calls it: %v, the list of exceptions has it: %v", f.name, called, indirect[f.name] != "")
		}
	}
}

// named is a function that ARCHITECTURE.md names with its file; body is nil if the file does not
// have it.
type named struct {
	name, file string
	body       *ast.BlockStmt
}

// short is the name without the type or package.
func (n named) short() string { return n.name[strings.LastIndexByte(n.name, '.')+1:] }

// lineFunctions lists the functions of the path of a task that ARCHITECTURE.md names with their
// files.
func lineFunctions(t *testing.T) []named {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), "## The line a task travels\n")
	line, _, ended := strings.Cut(line, "\n## ")
	if !found || !ended {
		t.Fatal("ARCHITECTURE.md has no section about the line a task travels")
	}
	var functions []named
	folder := ""
	for _, part := range strings.Split(line, "\n\n") {
		part = strings.Join(strings.Fields(part), " ")
		if in := folderOf.FindStringSubmatch(part); in != nil {
			folder = in[1]
		}
		for _, pair := range namedWithFile.FindAllStringSubmatch(part, -1) {
			file := pair[3]
			if !strings.Contains(file, "/") {
				file = folder + "/" + file
			}
			declared := functionsOf(t, filepath.Join(root(t), file))
			for _, name := range pair[1:3] {
				if name != "" {
					functions = append(functions, named{name, file, declared[name]})
				}
			}
		}
	}
	return functions
}

// mentions reports whether a body has a name in it.
func mentions(body *ast.BlockStmt, name string) bool {
	found := false
	ast.Inspect(body, func(n ast.Node) bool {
		id, is := n.(*ast.Ident)
		found = found || is && id.Name == name
		return !found
	})
	return found
}

// functionsOf returns the bodies of a file's functions: f as "f" and "package.f", a method as
// "Type.m", and as "m" unless a function has this name.
func functionsOf(t *testing.T, path string) map[string]*ast.BlockStmt {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]*ast.BlockStmt{}
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		owner := file.Name.Name
		if f.Recv != nil {
			owner = receiver(f.Recv.List[0].Type)
		}
		bodies[owner+"."+f.Name.Name] = f.Body
		if _, taken := bodies[f.Name.Name]; f.Recv == nil || !taken {
			bodies[f.Name.Name] = f.Body
		}
	}
	return bodies
}

// receiver returns the name of a receiver's type, without pointer and type parameters.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

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
	// named finds one or two functions and their file, as in "`a` and `b` (`x.go`)" and
	// "(`a`, `x.go`)".
	named = regexp.MustCompile("`([A-Za-z.]+)`(?: and `([A-Za-z.]+)`)?(?: \\(|, )`([a-z_/]+\\.go)`\\)")
	// folderOf finds the folder of the files that follow without one.
	folderOf = regexp.MustCompile("The files of steps [0-9]+ (?:to|and) [0-9]+ are in `([a-z/]+)`")
)

// TestArchitectureNamesFunctionsOfTheirFiles keeps the path of a task in ARCHITECTURE.md
// true: each function that it names is in the file that it names.
func TestArchitectureNamesFunctionsOfTheirFiles(t *testing.T) {
	t.Parallel()
	const root = "../.."
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, line, found := strings.Cut(string(text), "## The line a task travels\n")
	line, _, ended := strings.Cut(line, "\n## ")
	if !found || !ended {
		t.Fatal("ARCHITECTURE.md has no section about the line a task travels")
	}
	folder, functions := "", 0
	for _, part := range strings.Split(line, "\n\n") {
		part = strings.Join(strings.Fields(part), " ")
		if in := folderOf.FindStringSubmatch(part); in != nil {
			folder = in[1]
		}
		for _, pair := range named.FindAllStringSubmatch(part, -1) {
			file := pair[3]
			if !strings.Contains(file, "/") {
				file = folder + "/" + file
			}
			declared := functionsOf(t, filepath.Join(root, file))
			for _, name := range pair[1:3] {
				if name == "" {
					continue
				}
				functions++
				if !slices.Contains(declared, name) {
					t.Errorf("ARCHITECTURE.md says that %s is in %s, which has %v", name, file, declared)
				}
			}
		}
	}
	if functions < 60 {
		t.Errorf("the section names %d functions with their files, want at least 60", functions)
	}
}

// functionsOf returns the names of a file's functions: f as "f" and "package.f", a method as
// "m" and "Type.m".
func functionsOf(t *testing.T, path string) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		owner := file.Name.Name
		if f.Recv != nil {
			owner = receiver(f.Recv.List[0].Type)
		}
		names = append(names, f.Name.Name, owner+"."+f.Name.Name)
	}
	return names
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

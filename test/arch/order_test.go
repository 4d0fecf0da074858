package arch

import (
	"cmp"
	"encoding/json"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// stated finds the order of files that a package comment states.
var stated = regexp.MustCompile(`(?s)Its files, each of which uses those before it alone: ([a-z_.,\s]+\.go)\.`)

// TestFilesUseThoseBeforeThem holds packages to the order of files that their comments
// state, so that one can read them from the first file to the last. What one of the
// plan's packages hands on, no other changes.
func TestFilesUseThoseBeforeThem(t *testing.T) {
	t.Parallel()
	packages, open := exported(t, "./engine/internal/...")
	for _, p := range packages {
		fset := token.NewFileSet()
		var files []*ast.File
		var order []string
		for _, name := range p.GoFiles {
			f, err := parser.ParseFile(fset, filepath.Join(p.Dir, name), nil, parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
			text := strings.Join(strings.Fields(f.Doc.Text()), " ")
			if found := stated.FindStringSubmatch(text); found != nil {
				order = strings.Split(found[1], ", ")
			} else if strings.Contains(text, "Its files") {
				t.Errorf("the package comment of %s states its files in other words", p.ImportPath)
			}
		}
		if order == nil && len(files) > 1 {
			t.Errorf("the package comment of %s states no order of its files", p.ImportPath)
			continue
		}
		if got := slices.Sorted(slices.Values(order)); order != nil && !slices.Equal(got, p.GoFiles) {
			t.Errorf("%s states the order of %v and has %v", p.ImportPath, order, p.GoFiles)
			continue
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
		config := types.Config{Importer: importer.ForCompiler(fset, "gc", open)}
		made, err := config.Check(p.ImportPath, fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		for _, use := range backward(fset, made, info, order) {
			t.Errorf("%s: the package comment of %s says that a file uses those before it alone", use, p.ImportPath)
		}
		for _, at := range foreign(fset, made, files, info) {
			t.Errorf("%s writes a field of another package, which hands on a value", at)
		}
	}
}

// backward lists the uses of what stands in later files.
func backward(fset *token.FileSet, p *types.Package, info *types.Info, order []string) []string {
	place := func(pos token.Pos) int { return slices.Index(order, filepath.Base(fset.Position(pos).Filename)) }
	var found []string
	for ident, object := range info.Uses {
		if object.Pkg() == p && place(object.Pos()) > place(ident.Pos()) {
			at := fset.Position(ident.Pos())
			found = append(found, filepath.Base(at.Filename)+" uses "+ident.Name+" of "+order[place(object.Pos())])
		}
	}
	slices.SortFunc(found, cmp.Compare)
	return slices.Compact(found)
}

// foreign lists the places where a field of another package is set that hands values on.
func foreign(fset *token.FileSet, p *types.Package, files []*ast.File, info *types.Info) []string {
	var found []string
	written := func(e ast.Expr) {
		s, ok := e.(*ast.SelectorExpr)
		if !ok || info.Selections[s] == nil {
			return
		}
		if owner := info.Selections[s].Obj().Pkg(); owner != p && below(owner.Path(), handsOn) {
			found = append(found, fset.Position(e.Pos()).String())
		}
	}
	for _, f := range files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				for _, e := range n.Lhs {
					written(e)
				}
			case *ast.IncDecStmt:
				written(n.X)
			}
			return true
		})
	}
	return found
}

// exported lists packages, and opens what the compiler exports of those and of what they
// import.
func exported(t *testing.T, pattern string) ([]pkg, importer.Lookup) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-export", "-deps", "-json=ImportPath,Dir,GoFiles,DepOnly,Export", pattern)
	cmd.Dir = root(t)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []pkg
	export := map[string]string{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p struct {
			pkg
			DepOnly bool
			Export  string
		}
		if err := decoder.Decode(&p); err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		export[p.ImportPath] = p.Export
		if !p.DepOnly {
			all = append(all, p.pkg)
		}
	}
	return all, func(path string) (io.ReadCloser, error) { return os.Open(export[path]) }
}

// The checks find what they are for.
func TestFilesAndFieldsAreChecked(t *testing.T) {
	t.Parallel()
	fset := token.NewFileSet()
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	var value *types.Package
	check := func(path string, texts map[string]string) (*types.Package, []*ast.File) {
		var files []*ast.File
		for name, text := range texts {
			f, err := parser.ParseFile(fset, name, text, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		config := types.Config{Importer: importing(func(string) (*types.Package, error) { return value, nil })}
		made, err := config.Check(path, fset, files, info)
		if err != nil {
			t.Fatal(err)
		}
		return made, files
	}
	value, _ = check(handsOn+"/value", map[string]string{"value.go": "package value\ntype V struct{ N int }"})
	made, files := check("kinit/engine/internal/run", map[string]string{
		"first.go":  "package run\nimport \"" + handsOn + "/value\"\nfunc first(v *value.V) { v.N++; second() }",
		"second.go": "package run\nfunc second() {}",
	})
	if got := backward(fset, made, info, []string{"first.go", "second.go"}); len(got) != 1 {
		t.Errorf("a use of a later file gives %q", got)
	}
	if got := foreign(fset, made, files, info); len(got) != 1 {
		t.Errorf("a write to another package's field gives %q", got)
	}
}

type importing func(path string) (*types.Package, error)

func (i importing) Import(path string) (*types.Package, error) { return i(path) }

package powershell

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"kinit/test/grammar"
)

// A script may be an embedded file, a constant, a variable or parameter that is one of these, or several, joined by "+".
// So every script that a module can run is known without running it.
func TestEveryScriptOfAModuleIsOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	packages := map[string]*source{}
	err := filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		return readSource(packages, name)
	})
	if err != nil {
		t.Fatal(err)
	}
	var scripts []grammar.Script
	for folder, p := range packages {
		for _, f := range p.files {
			for _, call := range calls(folder, f) {
				texts := p.texts(packages, call.script, call.within)
				if len(texts) == 0 {
					t.Errorf("%s: the text of this script is not known without running the code", p.set.Position(call.script.Pos()))
				}
				for i, text := range texts {
					if text == "" {
						continue // for a plan without a step
					}
					name := fmt.Sprintf("%s, script %d", p.set.Position(call.script.Pos()), i+1)
					scripts = append(scripts, grammar.Script{Name: name, Text: whole(text)})
				}
			}
		}
	}
	if len(scripts) < 35 {
		t.Fatalf("only %d scripts were found", len(scripts))
	}
	for _, part := range []string{"function Get-Access(", "function Get-Memberships(", "HNSCall"} {
		if !slices.ContainsFunc(scripts, func(s grammar.Script) bool { return strings.Contains(s.Text, part) }) {
			t.Errorf("no script has %q", part)
		}
	}
	job, err := Job{Name: "x", Script: "Get-Date\n"}.place()
	if err != nil {
		t.Fatal(err)
	}
	users, _, err := WithArguments("param($Value = 1)\n$Value\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	grammar.Check(t, append(scripts, grammar.Script{Name: "a job", Text: job.Script}, grammar.Script{Name: "a user's script", Text: users + "\n"})...)
}

// source is the code of a package.
type source struct {
	folder string
	set    *token.FileSet
	files  []*ast.File
	values map[string]ast.Expr // of constants and variables of the package
	embeds map[string]string   // the files that variables embed
}

func readSource(packages map[string]*source, name string) error {
	folder := filepath.Dir(name)
	p := packages[folder]
	if p == nil {
		p = &source{folder: folder, set: token.NewFileSet(), values: map[string]ast.Expr{}, embeds: map[string]string{}}
		packages[folder] = p
	}
	f, err := parser.ParseFile(p.set, name, nil, parser.ParseComments)
	if err != nil {
		return err
	}
	p.files = append(p.files, f)
	for _, d := range f.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			p.note(g)
		}
	}
	return nil
}

// note keeps the values of a declaration.
func (p *source) note(g *ast.GenDecl) {
	for _, s := range g.Specs {
		v, ok := s.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range v.Names {
			if i < len(v.Values) {
				p.values[name.Name] = v.Values[i]
			}
			for _, doc := range []*ast.CommentGroup{g.Doc, v.Doc} {
				if file, ok := embedded(doc); ok {
					p.embeds[name.Name] = file
				}
			}
		}
	}
}

func embedded(doc *ast.CommentGroup) (string, bool) {
	if doc == nil {
		return "", false
	}
	for _, line := range doc.List {
		if file, ok := strings.CutPrefix(line.Text, "//go:embed "); ok && path.Ext(file) == ".ps1" {
			return file, true
		}
	}
	return "", false
}

// sent is a script that a function sends.
type sent struct {
	script ast.Expr
	within *ast.FuncDecl
}

// position says which argument of the functions of this package is the script.
func position(function string) (int, bool) {
	at, ok := map[string]int{"Run": 2, "Value": 2, "Read": 2, "Send": 2, "Step": 1, "OneStep": 1}[function]
	return at, ok
}

// calls are the scripts that a file sends, by the functions of this package or as a Job. Within this package, only
// calls with a fixed script count.
func calls(folder string, f *ast.File) []sent {
	here := path.Base(folder) == "powershell"
	var all []sent
	for _, d := range f.Decls {
		within, ok := d.(*ast.FuncDecl)
		if !ok {
			continue
		}
		ast.Inspect(within, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.CallExpr:
				at, ok := position(called(n.Fun, here))
				if ok && !(here && isParameter(n.Args[at], within)) {
					all = append(all, sent{n.Args[at], within})
				}
			case *ast.CompositeLit:
				if ofThis(n.Type, here) == "Job" {
					all = append(all, sent{field(n, "Script"), within})
				}
			}
			return true
		})
	}
	return all
}

// called is the function of this package that is called; empty for any other.
func called(f ast.Expr, here bool) string {
	if generic, ok := f.(*ast.IndexExpr); ok {
		f = generic.X
	}
	return ofThis(f, here)
}

// ofThis is the name of something of this package; empty for anything else.
func ofThis(e ast.Expr, here bool) string {
	switch e := e.(type) {
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "powershell" {
			return e.Sel.Name
		}
	case *ast.Ident:
		if here {
			return e.Name
		}
	}
	return ""
}

func field(l *ast.CompositeLit, name string) ast.Expr {
	for _, e := range l.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok && kv.Key.(*ast.Ident).Name == name {
			return kv.Value
		}
	}
	return l
}

func isParameter(e ast.Expr, within *ast.FuncDecl) bool {
	x, ok := e.(*ast.Ident)
	if ok {
		_, ok = parameter(x.Name, within)
	}
	return ok
}

// texts are what an expression can be; none if that is not known.
func (p *source) texts(packages map[string]*source, e ast.Expr, within *ast.FuncDecl) []string {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); err == nil {
			return []string{text}
		}
	case *ast.BinaryExpr:
		var all []string
		for _, left := range p.texts(packages, e.X, within) {
			for _, right := range p.texts(packages, e.Y, within) {
				all = append(all, left+right)
			}
		}
		return all
	case *ast.SelectorExpr:
		other := e.X.(*ast.Ident).Name
		for folder, p := range packages {
			if path.Base(folder) == other {
				return p.texts(packages, e.Sel, nil)
			}
		}
	case *ast.Ident:
		return p.variable(packages, e.Name, within)
	}
	return nil
}

// variable is what a variable can be: a file, its value in the package, what callers pass for a parameter, or what the
// function assigns to it.
func (p *source) variable(packages map[string]*source, name string, within *ast.FuncDecl) []string {
	if file, ok := p.embeds[name]; ok {
		text, err := os.ReadFile(filepath.Join(p.folder, file))
		if err != nil {
			return nil
		}
		return []string{string(text)}
	}
	if value, ok := p.values[name]; ok {
		return p.texts(packages, value, nil)
	}
	if within == nil {
		return nil
	}
	var all []string
	if at, ok := parameter(name, within); ok {
		p.functions(func(caller *ast.FuncDecl) {
			ast.Inspect(caller, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && last(call.Fun) == within.Name.Name {
					all = append(all, p.texts(packages, call.Args[at], caller)...)
				}
				return true
			})
		})
		return all
	}
	ast.Inspect(within.Body, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok {
			for i, left := range a.Lhs {
				if x, ok := left.(*ast.Ident); ok && x.Name == name {
					all = append(all, p.assigned(packages, a, i, within)...)
				}
			}
		}
		return true
	})
	return all
}

// assigned is what an assignment gives to the variable at a place: a value, or the result of a function of the package.
func (p *source) assigned(packages map[string]*source, a *ast.AssignStmt, at int, within *ast.FuncDecl) []string {
	if len(a.Lhs) == len(a.Rhs) {
		return p.texts(packages, a.Rhs[at], within)
	}
	call, ok := a.Rhs[0].(*ast.CallExpr)
	if !ok {
		return nil
	}
	var all []string
	p.functions(func(f *ast.FuncDecl) {
		if f.Name.Name != last(call.Fun) {
			return
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if r, ok := n.(*ast.ReturnStmt); ok && at < len(r.Results) {
				all = append(all, p.texts(packages, r.Results[at], f)...)
			}
			return true
		})
	})
	return all
}

func (p *source) functions(visit func(*ast.FuncDecl)) {
	for _, f := range p.files {
		for _, d := range f.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				visit(f)
			}
		}
	}
}

// last is the name of a function or method that is called.
func last(f ast.Expr) string {
	switch f := f.(type) {
	case *ast.SelectorExpr:
		return f.Sel.Name
	case *ast.Ident:
		return f.Name
	}
	return ""
}

// parameter is the place of a function's parameter.
func parameter(name string, within *ast.FuncDecl) (int, bool) {
	at := 0
	for _, list := range within.Type.Params.List {
		for _, p := range list.Names {
			if p.Name == name {
				return at, true
			}
			at++
		}
	}
	return 0, false
}

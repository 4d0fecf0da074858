package grammar

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

func TestEveryScriptFileIsOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	scripts, err := scriptFiles(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) < 60 {
		t.Fatalf("only %d scripts were found", len(scripts))
	}
	Check(t, scripts...)
}

// scriptFiles are the script files of the tree.
func scriptFiles(tree fs.FS) ([]Script, error) {
	var scripts []Script
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || path.Ext(name) != ".ps1" {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		scripts = append(scripts, Script{Name: name, Text: strings.TrimPrefix(string(text), "\uFEFF")})
		return err
	})
	for i, s := range scripts {
		for _, other := range scripts {
			if sentTogether(s.Name, other.Name) {
				scripts[i].With = append(scripts[i].With, other.Name)
			}
		}
	}
	return scripts, err
}

// prologue is what precedes the scripts of modules and those of playbooks.
const prologue = "modules/internal/powershell/prologue.ps1"

// sentTogether reports whether a script may call the functions of another one: they are in one folder, or the other
// one is what modules share, or what hosts run to leave a cluster.
func sentTogether(script, other string) bool {
	switch {
	case path.Dir(script) == path.Dir(other):
		return true
	case strings.HasPrefix(script, "modules/"):
		return other == prologue || other == "modules/internal/winacl/acl.ps1"
	case strings.HasPrefix(script, "specs/"):
		return other == prologue || path.Dir(other) == "specs/drivers/host/files"
	}
	return false
}

func TestEveryScriptOfAPlaybookIsOfWindowsPowerShell(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../" + prologue)
	if err != nil {
		t.Fatal(err)
	}
	scripts := []Script{{Name: prologue, Text: string(text)}}
	err = filepath.WalkDir("../..", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(name) != ".hcl" {
			return err
		}
		found, err := inPlaybook(name)
		scripts = append(scripts, found...)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(scripts) < 15 {
		t.Fatalf("only %d scripts were found", len(scripts))
	}
	Check(t, scripts...)
}

// takesScript are the arguments of modules that are scripts of PowerShell.
func takesScript(module, argument string) bool {
	switch module {
	case "win_powershell":
		return slices.Contains([]string{"script", "unless", "only_if"}, argument)
	case "win_wait":
		return argument == "script"
	case "win_reboot":
		return argument == "ready"
	}
	return false
}

// inPlaybook are the scripts within a file. Those in files of their own are scriptFiles.
func inPlaybook(name string) ([]Script, error) {
	text, err := os.ReadFile(name)
	if err != nil || !windowsTask.Match(text) {
		return nil, err
	}
	file, problems := hclsyntax.ParseConfig(text, name, hcl.InitialPos)
	if problems.HasErrors() {
		return nil, nil // a file of a test, which is wrong
	}
	var scripts []Script
	var visit func(body *hclsyntax.Body) error
	visit = func(body *hclsyntax.Body) error {
		for _, block := range body.Blocks {
			for _, a := range block.Body.Attributes {
				if block.Type != "task" || !takesScript(block.Labels[0], a.Name) {
					continue
				}
				text, inline, err := scriptOf(a.Expr)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", a.NameRange, a.Name, err)
				}
				if inline {
					scripts = append(scripts, Script{Name: a.NameRange.String(), Text: text + "\n", With: []string{prologue}})
				}
			}
			if err := visit(block.Body); err != nil {
				return err
			}
		}
		return nil
	}
	return scripts, visit(file.Body.(*hclsyntax.Body))
}

var windowsTask = regexp.MustCompile(`task "win_(powershell|wait|reboot)"`)

// scriptOf is the text of an expression; inline is false for a script that is a file.
func scriptOf(e hclsyntax.Expression) (text string, inline bool, err error) {
	if call, ok := e.(*hclsyntax.FunctionCallExpr); ok {
		switch call.Name {
		case "file":
			return "", false, nil
		case "fold":
			return scriptOf(call.Args[0])
		}
	}
	value, problems := e.Value(nil)
	if problems.HasErrors() {
		return "", false, fmt.Errorf("a script is a constant, so that it can be checked; its values are arguments: %w", problems)
	}
	return value.AsString(), true, nil
}

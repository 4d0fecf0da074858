package grammar

import (
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// builds finds code that makes a script, and is not only the caller of one in a file.
var builds = regexp.MustCompile(`\bshell\.PowerShell(Block)?\b|\bPowerShell:|[^.]\bpowershell\.exe -`)

// passOn are the packages whose scripts are those of users, unchanged; playbooks of this tree are checked.
func passOn() []string {
	return []string{"modules/internal/process", "modules/win_powershell", "modules/win_reboot", "modules/win_wait"}
}

func TestEveryPackageThatBuildsScriptsChecksThem(t *testing.T) {
	t.Parallel()
	tree := os.DirFS("../..")
	building, checking := map[string]string{}, map[string]bool{}
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".go" || strings.HasPrefix(name, "test/") {
			return err
		}
		text, err := fs.ReadFile(tree, name)
		switch folder := path.Dir(name); {
		case strings.HasSuffix(name, "_test.go"):
			checking[folder] = checking[folder] || strings.Contains(string(text), "grammar.Check(")
		case builds.Match(text) && folder != "engine/transport/transporttest": // that is for tests alone
			building[folder] = name
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for folder, name := range building {
		if !checking[folder] && !slices.Contains(passOn(), folder) {
			t.Errorf("%s builds scripts of PowerShell, and no test of its package calls grammar.Check with them", name)
		}
	}
	for _, folder := range passOn() {
		if building[folder] == "" {
			t.Errorf("%s builds no script any more", folder)
		}
	}
	if len(building) < 9 {
		t.Errorf("only %d packages were found that build scripts: %v", len(building), building)
	}
}

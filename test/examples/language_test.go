package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
)

// TestEveryExampleOfTheLanguageIsValid validates each fenced example of the
// reference as a spec of its own.
func TestEveryExampleOfTheLanguageIsValid(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	examples := fenced(string(text), "hcl")
	if len(examples) < 13 {
		t.Fatalf("%d examples, which cannot be all", len(examples))
	}
	for i, example := range examples {
		t.Run(fmt.Sprintf("example %d", i+1), func(t *testing.T) {
			t.Parallel()
			report := engine.Validate(t.Context(), exampleOptions(t, example))
			if len(report.Diagnostics) > 0 {
				t.Errorf("%v\n%s", report.Diagnostics, example)
			}
		})
	}
}

// exampleOptions are those of an example that stands beside the playbooks shop and
// common.
func exampleOptions(t *testing.T, example string) engine.Options {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"site.hcl":          example,
		"shop/shop.hcl":     "variable \"port\" {}\n",
		"common/common.hcl": "variable \"domain\" {}\n",
		"inventory.hcl":     "host \"web1\" {}\nhost \"web2\" {}\nhost \"db\" {}\nhost \"lb\" {}\n",
	}
	for name, text := range files {
		file := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o := options(t, "site.hcl")
	o.Cwd, o.Inventories, o.Hosts = dir, []string{"inventory.hcl"}, []string{"web1", "web2"}
	return o
}

// fenced lists the texts between lines with three backticks and a language.
func fenced(text, language string) []string {
	var all []string
	for {
		_, rest, found := strings.Cut(text, "```"+language+"\n")
		if !found {
			return all
		}
		var example string
		example, text, _ = strings.Cut(rest, "```")
		all = append(all, example)
	}
}

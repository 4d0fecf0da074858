package examples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclwrite"
	"go.yaml.in/yaml/v3"

	"kinit/engine"
)

// TestEveryExampleOfThePagesIsValid validates each fenced example as a spec of its
// own. A page with fewer than expected has lost some, or its fences.
func TestEveryExampleOfThePagesIsValid(t *testing.T) {
	t.Parallel()
	for page, least := range map[string]int{"language": 13, "from-ansible": 40, "first-hour": 3} {
		text, err := os.ReadFile("../../docs/" + page + ".md")
		if err != nil {
			t.Fatal(err)
		}
		examples := fenced(string(text), "hcl")
		if len(examples) < least {
			t.Fatalf("%s has %d examples, want at least %d", page, len(examples), least)
		}
		for i, example := range examples {
			t.Run(fmt.Sprintf("%s example %d", page, i+1), func(t *testing.T) {
				t.Parallel()
				report := engine.Validate(t.Context(), exampleOptions(t, example))
				if len(report.Diagnostics) > 0 {
					t.Errorf("%v\n%s", report.Diagnostics, example)
				}
			})
		}
	}
}

// exampleOptions are those of an example that stands beside the playbooks shop, common
// and web, which the page shows.
func exampleOptions(t *testing.T, example string) engine.Options {
	t.Helper()
	dir := t.TempDir()
	files := map[string]string{
		"site.hcl":          example,
		"shop/shop.hcl":     "variable \"port\" {}\n",
		"common/common.hcl": "variable \"domain\" {}\n",
		"web/web.hcl":       indented(t, "where `./web` is\n"),
		"roles/motd/m.hcl":  "variable \"text\" {}\n",
		"site/site.hcl":     indented(t, "where `./site` is\n"),
		"cart/cart.hcl":     indented(t, "where `./cart` is\n"),
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

// indented is the text that the page shows after a line, indented by four spaces.
func indented(t *testing.T, after string) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/language.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(page), after)
	if !found {
		t.Fatalf("the page has no line %q", after)
	}
	var text strings.Builder
	for line := range strings.Lines(rest) {
		inside, ok := strings.CutPrefix(line, "    ")
		if !ok && strings.TrimSpace(line) != "" {
			break
		}
		text.WriteString(inside)
	}
	return text.String()
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

// TestExamplesFromAnsibleStandBesideTheirTwins checks that the page shows YAML and
// then HCL, in the canonical format, and that the YAML parses.
func TestExamplesFromAnsibleStandBesideTheirTwins(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/from-ansible.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := strings.Split(string(text), "\n### ")[1:]
	for _, section := range sections {
		title, body, _ := strings.Cut(section, "\n")
		theirs, ours := fenced(body, "yaml"), fenced(body, "hcl")
		if len(theirs) != 1 || len(ours) != 1 || strings.Index(body, "```yaml") > strings.Index(body, "```hcl") {
			t.Errorf("%s has %d examples in YAML and %d in HCL, want one of each, YAML first", title, len(theirs), len(ours))
			continue
		}
		if err := yaml.Unmarshal([]byte(theirs[0]), new(yaml.Node)); err != nil {
			t.Errorf("%s: its YAML: %v", title, err)
		}
		if string(hclwrite.Format([]byte(ours[0]))) != ours[0] {
			t.Errorf("%s: its HCL is not in the canonical format", title)
		}
	}
}

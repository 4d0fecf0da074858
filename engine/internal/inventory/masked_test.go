package inventory_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory"
	"kinit/engine/secret"
)

// TestMistakesInInventoriesShowNoPartOfASecret has secrets of several words and lines, whose texts all
// begin with "hunter", in files that cannot be read as a whole.
func TestMistakesInInventoriesShowNoPartOfASecret(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"words.ini":     "[web]\nh1 ansible_password=hunter22 hunter33 hunter44 ansible_port=22\n",
		"quote.ini":     "[web]\nh1 ansible_password='hunter22 hunter33\n",
		"section.ini":   "[web]\nh1\n[web:vars]\ndb_password=hunter22 hunter33 # hunter44\n[web:nonsense]\n",
		"block.yml":     "all:\n  hosts:\n    h1:\n      ansible_password: |\n        hunter22\n        hunter33\n      db_password: >-\n        hunter44\n\n        hunter55\n      bad: [\n",
		"indented.yml":  "all:\n  hosts:\n    h1:\n      ansible_password: |\n        hunter22\n       hunter33: [\n",
		"next.json":     "{\"all\": {\"vars\": {\n  \"db_password\":\n    \"hunter22 hunter33\",\n  \"bad\": [\n}}}\n",
		"next.yml":      "all:\n  vars:\n    db_password:\n      hunter22\n      hunter33\n    bad: [\n",
		"plain.yml":     "all:\n  vars:\n    api_token: hunter22 hunter33 [\n  bad: [\n",
		"heredoc.hcl":   "host \"h1\" {\n  vars = { db_password = <<X\nhunter22\nhunter33\nX\n}\n",
		"unclosed.hcl":  "host \"h1\" {\n  password = \"hunter22 hunter33\n}\n",
		"sshpass.ini":   "h1 nonsense ansible_ssh_common_args='-o ProxyCommand=\"sshpass -p hunter22 ssh bastion\"'\n",
		"sshpass-2.ini": "h1 ansible_ssh_common_args='-o ProxyCommand=\"sshpass -p hunter22 ssh bastion\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			inv, diags := inventory.Load(context.Background(), inventory.Sources{Cwd: folder}, []string{name})
			if len(diags) == 0 {
				t.Fatal("the file has no mistake")
			}
			var r secret.Redactor
			r.Add(inv.Secrets()...)
			for _, d := range diags {
				if shown := r.Redact(shownOf(d, text)); strings.Contains(shown, "hunter") {
					t.Errorf("shown:\n%s", shown)
				}
			}
		})
	}
}

// shownOf is what people see of a diagnostic: its texts, and the lines that it points to and their
// neighbours.
func shownOf(d diag.Diagnostic, text string) string {
	shown := d.Summary + "\n" + d.Detail + "\n"
	if d.Subject == nil {
		return shown
	}
	lines := regexp.MustCompile(`\n`).Split(text, -1)
	for n := max(0, d.Subject.Start.Line-3); n < min(len(lines), d.Subject.End.Line+2); n++ {
		shown += lines[n] + "\n"
	}
	return shown
}

package engine_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/engine"
	"kinit/engine/need"
	"kinit/engine/secret"
)

func TestFileOfVariablesThatAnsibleVaultHasEncryptedIsDecryptedAndSecret(t *testing.T) {
	t.Parallel()
	need.Programs(t, "ansible", "ansible-vault")
	for name, text := range map[string]string{"values.hcl": "word = \"Heidelberg-in-summer\"\n", "values.json": `{"word": "Heidelberg-in-summer"}`} {
		o := options(t, `
variable "word" { type = string }
task "copy" "a" {
  dest    = "TMP/out"
  content = var.word
}
task "command" "b" {
  argv = ["echo", var.word]
}
`)
		file := filepath.Join(o.Cwd, name)
		write(t, file, text)
		write(t, filepath.Join(o.Cwd, "password"), "first password")
		cmd := exec.Command("ansible-vault", "encrypt", "--vault-password-file", "password", name)
		cmd.Dir = o.Cwd
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		o.VarFiles = []string{file}
		want := "The file " + file + " of --var-file is encrypted by Ansible Vault: no password was given. Give its password by --vault-id or --vault-password-file."
		if got := problems(engine.Run(t.Context(), o)); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nwant %s", name, got, want)
		}
		o.Vault = []engine.VaultIdentity{{Label: "default", Password: func(context.Context) (secret.Value, error) { return "first password", nil }}}
		report := went(t, engine.Run(t.Context(), o))
		if got := content(t, o, "out"); got != "Heidelberg-in-summer" {
			t.Errorf("%s: the file has %q", name, got)
		}
		if got := o.Redactor.Redact("Heidelberg-in-summer"); strings.Contains(got, "summer") {
			t.Errorf("%s: the value is not masked: %s", name, got)
		}
		for _, r := range report.Results {
			if slices.ContainsFunc(r.Steps, func(step string) bool { return strings.Contains(step, "summer") }) {
				t.Errorf("%s: steps %v", name, r.Steps)
			}
		}
		if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "$ANSIBLE_VAULT") {
			t.Errorf("%s: the file was changed: %.40s, %v", name, text, err)
		}
	}
}

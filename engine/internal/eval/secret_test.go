package eval

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/secret"
	"kinit/engine/secretfile"
)

// key makes a private key in a file and an environment that names it.
func key(t *testing.T) (public string, environ []string) {
	t.Helper()
	text, public, err := secretfile.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "age.key")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return public, []string{secretfile.Variable + "=" + file}
}

func encrypted(t *testing.T, value secret.Value, public string) string {
	t.Helper()
	text, err := secretfile.Encrypt(value, public)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSecretsOfTheFilesAreDecryptedAndMasked(t *testing.T) {
	t.Parallel()
	public, environ := key(t)
	in := input(t, `
secret "inline" {
  encrypted = <<-EOT
    `+strings.ReplaceAll(encrypted(t, "hunter22", public), "\n", "\n    ")+`
  EOT
}
secret "beside" { encrypted = file("db.age") }
locals { url = "https://u:${secret.beside}@x" }
`, map[string]string{"db.age": encrypted(t, "hunter33", public)})
	redactor := &secret.Redactor{}
	in.Environ, in.Redactor = environ, redactor
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diags := s.SetCluster(s.cluster); len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := text(t, s, "x.hcl", `"${secret.inline} ${local.url}"`); got != "hunter22 https://u:hunter33@x" {
		t.Errorf("got %s", got)
	}
	if got := redactor.Redact("hunter22 hunter33"); got != "*** ***" {
		t.Errorf("shown as %s", got)
	}
}

func TestSecretsThatCannotBeDecryptedAreTold(t *testing.T) {
	t.Parallel()
	public, mine := key(t)
	_, other := key(t)
	text := `
secret "a" { encrypted = file("a.age") }
secret "b" { encrypted = file("b.age") }
locals { c = secret.a }
`
	files := map[string]string{"a.age": encrypted(t, "hunter22", public), "b.age": "hunter33"}
	tests := map[string]struct {
		environ []string
		keyless bool
		want    string
	}{
		"no key": {[]string{secretfile.Variable + "=/nonexistent/key"}, false,
			"x.hcl:2,26-39: No key for secrets: secret.a is encrypted, and there is no key for it: read the private keys: open /nonexistent/key: no such file or directory. Name a file of keys by KINIT_AGE_KEY_FILE."},
		"no key is needed": {[]string{secretfile.Variable + "=/nonexistent/key"}, true, ""},
		"what is not encrypted": {mine, false,
			`x.hcl:3,26-39: Secret not decrypted: secret.b cannot be decrypted: not an encrypted value: the text does not start with "-----BEGIN AGE ENCRYPTED FILE-----".`},
		"another key": {other, false, "x.hcl:2,26-39: Secret not decrypted: secret.a cannot be decrypted: encrypted for other keys, not for "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(t, text, files)
			in.Environ, in.Keyless = test.environ, test.keyless
			_, diags := New(in)
			got := diags.Error()
			if name == "another key" {
				got = got[:min(len(got), len(test.want))]
			}
			if got != test.want {
				t.Errorf("got  %s\nwant %s", got, test.want)
			}
		})
	}
}

// The error about a plain secret in the place of its encrypted text does not show the secret.
func TestWhatIsWrittenInsteadOfAnEncryptedTextIsMasked(t *testing.T) {
	t.Parallel()
	_, mine := key(t)
	for expr, want := range map[string]string{
		`"S3cret-pw-77"`:            "Secret not decrypted",
		`["S3cret-pw-77", "other"]`: "Wrong type",
		`"${nothing}S3cret-pw-77"`:  "Unknown name",
		`S3cret-pw-77`:              "Unknown name",
	} {
		for summary, environ := range map[string][]string{want: mine, "No key for secrets": {secretfile.Variable + "=/nonexistent/key"}} {
			in := input(t, `secret "db" { encrypted = `+expr+` }`, nil)
			in.Environ, in.Redactor = environ, &secret.Redactor{}
			_, diags := New(in)
			if len(diags) != 1 || diags[0].Summary != summary && diags[0].Summary != want {
				t.Errorf("%s: got %v, want %s", expr, diags, summary)
			}
			if shown := in.Redactor.Redact(diags.Error() + expr); strings.Contains(shown, "S3cret") {
				t.Errorf("%s: the secret is shown: %s", expr, shown)
			}
		}
	}
}

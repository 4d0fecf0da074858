package engine

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const armored = "-----BEGIN AGE ENCRYPTED FILE-----\nYWJj\n-----END AGE ENCRYPTED FILE-----\n"

const block = `secret "db" {
  encrypted = <<-AGE
    -----BEGIN AGE ENCRYPTED FILE-----
    YWJj
    -----END AGE ENCRYPTED FILE-----
  AGE
}
`

func TestSetSecretLeavesTheRestOfTheFileAsItIs(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ before, want string }{
		"an empty file":    {"", block},
		"a file without":   {"locals {\nx=1 # odd\n}\n", "locals {\nx=1 # odd\n}\n\n" + block},
		"a plain value":    {"# before\nsecret \"db\" {\n  encrypted = \"plain\"\n}\n\nlocals { y = 2 }\n", "# before\n" + block + "\nlocals { y = 2 }\n"},
		"an older value":   {block, block},
		"a block without":  {"secret \"db\" {}\n", "secret \"db\" {\n" + block[14:]},
		"no line end":      {"x = 1", "x = 1\n\n" + block},
		"another's secret": {"secret \"web\" {\n  encrypted = \"x\"\n}\n", "secret \"web\" {\n  encrypted = \"x\"\n}\n\n" + block},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := SetSecret([]byte(tc.before), "db", armored)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, string(got)); diff != "" {
				t.Error(diff)
			}
			found, report := SecretsIn("x.hcl", got)
			if report.Invalid || found[len(found)-1] != (FileSecret{"db", armored}) {
				t.Errorf("read back %v, %v", found, report.Diagnostics)
			}
		})
	}
}

func TestSecretsInTellsOfWhatCannotBeRead(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"secret \"a\" {": "x.hcl:1,12-13: Unclosed configuration block: There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.",
		"secret \"a\" {\n  encrypted = var.x\n}\n": "x.hcl:2,15-20: Not a text: What is encrypted stands in the file as a text, without expressions.",
	} {
		_, report := SecretsIn("x.hcl", []byte(text))
		if !report.Invalid || report.Diagnostics.Error() != want {
			t.Errorf("%q: got %v, %v", text, report.Invalid, report.Diagnostics)
		}
	}
}

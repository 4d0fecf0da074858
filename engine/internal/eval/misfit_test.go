package eval

import (
	"fmt"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/secret"
)

const misfits = `
variable "db" {
  type      = object({ user = string, password = string })
  sensitive = true
}
variable "tokens" {
  type      = list(string)
  sensitive = true
}
variable "keyed" {
  type      = map(number)
  sensitive = true
}
variable "pin" {
  type      = number
  sensitive = true
}
`

// The line with a value is shown where the value is wrong.
func TestSensitiveValuesThatDoNotFitAreMaskedToo(t *testing.T) {
	t.Parallel()
	const rest = "db = { user = \"deploy\", password = \"hunter22\" }\ntokens = []\nkeyed = {}\npin = 904173\n"
	for name, test := range map[string]struct {
		spec, file string // instead of what fits
		vars       map[string]string
		environ    []string
		inventory  map[string]cty.Value
	}{
		"a misspelt attribute": {file: `db = { user = "deploy", pasword = "S3cret-pw-77" }`},
		"a text for a list":    {file: `tokens = "S3cret-pw-77"`},
		"a text for a number":  {file: `pin = "S3cret-pw-77"`},
		"the key of a map":     {file: `keyed = { S3cret-pw-77 = "x" }`},
		"a default":            {spec: "variable \"more\" {\n  type = list(string)\n  default = \"S3cret-pw-77\"\n  sensitive = true\n}\n"},
		"a value of the spec's type that has its own default": {
			spec: "variable \"more\" {\n  type = object({ a = optional(string, \"S3cret-pw-77\"), b = string })\n  default = {}\n  sensitive = true\n}\n"},
		"the command line":              {vars: map[string]string{"tokens": `"S3cret-pw-77"`}},
		"no expression":                 {vars: map[string]string{"tokens": `S3cret-pw-77`}},
		"the environment":               {environ: []string{"KINIT_VAR_pin=S3cret-pw-77"}},
		"the inventory":                 {inventory: map[string]cty.Value{"tokens": cty.StringVal("S3cret-pw-77")}},
		"an unknown name":               {file: `db = { user = deploy, password = "S3cret-pw-77" }`},
		"a wrong operand":               {file: `tokens = ["S3cret-pw-77" + 1]`},
		"no expression in a file":       {file: "db = { user = \"deploy\"\n  password = \"S3cret-pw-77\", = }"},
		"an unknown function":           {file: `tokens = [sensitiv("S3cret-pw-77")]`},
		"no quotes":                     {file: `db = { user = "deploy", password = S3cret-pw-77 }`},
		"no quotes, operators":          {file: `tokens = [!S3cret*pw.77]`},
		"no quotes and no HCL":          {file: `pin = S3cret$pw%77`},
		"a misspelt variable":           {file: `tokns = ["S3cret-pw-77"]`},
		"a misspelt variable in no HCL": {file: "tokns = [\n  \"S3cret-pw-77\",, ]"},
		"an open quote":                 {file: `tokens = ["S3cret-pw-77]`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(t, misfits+test.spec, map[string]string{"v.hcl": rest, "w.hcl": test.file})
			in.VarFiles = []string{"v.hcl", "w.hcl"}
			in.Vars, in.Environ, in.Inventory, in.Redactor = test.vars, test.environ, test.inventory, &secret.Redactor{}
			if test.inventory != nil || test.environ != nil {
				in.VarFiles = nil
			}
			_, diags := New(in)
			if !diags.HasErrors() {
				t.Fatal("the value is valid")
			}
			for _, shown := range []string{in.Redactor.Redact(diags.Error()), redactedLines(in.Redactor, misfits+test.spec+test.file)} {
				if strings.Contains(shown, "S3cret") {
					t.Errorf("the secret is shown:\n%s", shown)
				}
			}
			if text := "the variable keyed or tokens is user = true or pasword"; in.Redactor.Redact(text) != text {
				t.Errorf("%s is shown as %s", text, in.Redactor.Redact(text))
			}
		})
	}
}

func TestSensitiveValuesThatDoNotFitAreMaskedInSpecsAndImports(t *testing.T) {
	t.Parallel()
	const inner = "variable \"tokens\" {\n  type = list(string)\n  default = []\n  sensitive = true\n}\n"
	for name, inputs := range map[string]string{
		"a text for a list":                       `{ tokens = "S3cret-pw-77" }`,
		"an unknown name":                         `{ tokens = [nothing, "S3cret-pw-77"] }`,
		"a misspelt variable":                     `{ tokns = ["S3cret-pw-77"] }`,
		"a misspelt variable and an unknown name": `{ tokns = [nothing, "S3cret-pw-77"] }`,
	} {
		for _, form := range []string{"spec \"x\" {\n  playbook = \"./inner\"\n  vars = %s\n}\n", "import \"inner\" {\n  source = \"./inner\"\n  inputs = %s\n}\n"} {
			in := input(t, fmt.Sprintf(form, inputs), map[string]string{"inner/x.hcl": inner})
			in.Redactor = &secret.Redactor{}
			s, diags := New(in)
			diags = append(diags, s.SetCluster(s.cluster)...)
			if !diags.HasErrors() {
				t.Errorf("%s: the value is valid", name)
			}
			if shown := in.Redactor.Redact(diags.Error() + inputs); strings.Contains(shown, "S3cret") {
				t.Errorf("%s: the secret is shown:\n%s", name, shown)
			}
		}
	}
}

// The name of a file is no secret, and one needs it when it is wrong.
func TestThePathOfAFileIsNotMaskedWhereASensitiveVariableHasNoValue(t *testing.T) {
	t.Parallel()
	in := input(t, misfits, map[string]string{"v.hcl": `db = { user = "deploy", password = file("absent.txt") }`})
	in.VarFiles, in.Redactor = []string{"v.hcl"}, &secret.Redactor{}
	_, diags := New(in)
	want := diags.Error()
	if got := in.Redactor.Redact(want); got != want || !strings.Contains(want, "absent.txt") {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// redactedLines masks a text as one that is shown line by line.
func redactedLines(by *secret.Redactor, text string) string {
	var shown []string
	for line := range strings.Lines(text) {
		shown = append(shown, by.Redact(line))
	}
	return strings.Join(shown, "")
}

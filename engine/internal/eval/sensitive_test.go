package eval

import (
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/secret"
)

const secrets = `
variable "text" { sensitive = true }
variable "pin" {
  type      = number
  sensitive = true
}
variable "creds" { sensitive = true }
variable "open" { default = "open" }
locals {
  login = jsondecode(var.creds)
  mixed = { user = "app", password = var.text }
}
`

// scope is that of secrets with a redactor that learns them.
func scope(t *testing.T) (*Scope, *secret.Redactor) {
	t.Helper()
	in := input(t, secrets, map[string]string{"page.tmpl": "of ${user}%{ if long } with ${password}%{ endif }", "plain.tmpl": "of ${user}"})
	in.Vars = map[string]string{"text": "hunter22-Zz", "pin": "904173", "creds": `{"user":"deploy","password":"s3cr3t-pa55","otp":"7 1"}`}
	in.Redactor = &secret.Redactor{}
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return s, in.Redactor
}

// value evaluates an expression.
func value(t *testing.T, s *Scope, text string) cty.Value {
	t.Helper()
	expr, problems := hclsyntax.ParseExpression([]byte(text), "x.hcl", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	value, problems := expr.Value(s.Context("x.hcl"))
	if problems.HasErrors() {
		t.Fatalf("%s: %v", text, problems)
	}
	return value
}

// A value that is made of a sensitive one is sensitive, whatever made it; one that is
// not, is not.
func TestTheMarkGoesThroughExpressions(t *testing.T) {
	t.Parallel()
	s, _ := scope(t)
	for _, text := range []string{
		`upper(var.text)`, `substr(var.text, 0, 2)`, `"x-${var.text}"`, `"%{ if var.text == "a" }b%{ else }c%{ endif }"`,
		`var.pin + 1`, `var.pin > 3`, `-var.pin`, `tostring(var.pin)`, `jsondecode(var.creds).otp`, `local.login.password`,
		`jsonencode(local.mixed)`, `local.mixed.password`, `[for c in ["a", "b"] : "${c}${var.text}"]`, `{ for k, v in local.mixed : k => v }`,
		`{ (var.text) = 1 }`, `var.text == "x" ? "a" : "b"`, `split("-", var.text)[0]`, `regex("[0-9]+", var.text)`, `length(var.text)`,
		`sha256(var.text)`, `join(",", ["a", var.text])`, `concat(["a"], [var.text])`, `merge(local.mixed, { a = 1 })`,
		`values(local.mixed)`, `lookup(local.mixed, "password", "")`, `coalesce("", var.text)`, `try(local.none, var.text)`, `distinct(["a", var.text])`,
		`toset(["a", var.text])`, `sort(["b", var.text])`, `format("%s", var.text)`, `replace(var.text, "-", "+")`, `cidrhost("10.0.0.0/8", var.pin)`,
		`templatefile("page.tmpl", { user = "a", long = true, password = var.text })`, `templatefile("page.tmpl", sensitive({ user = "a", long = false, password = "b" }))`,
		`sensitive("x")`, `setproduct(["a"], [var.text])`, `flatten([["a"], [var.text]])`, `zipmap(["a"], [var.text])`, `element([var.text], 0)`, `one([var.text])`,
	} {
		if value := value(t, s, text); !sensitive.Is(value) {
			t.Errorf("%s is not sensitive", text)
		}
	}
	for _, text := range []string{
		`var.open`, `local.mixed.user`, `nonsensitive(var.text)`, `issensitive(var.text)`, `keys(local.mixed)`, `[local.mixed.user]`,
		`templatefile("plain.tmpl", { user = "a", password = var.text })`, `length([var.text])`, `lookup(local.mixed, "user")`,
	} {
		if value := value(t, s, text); sensitive.Is(value) {
			t.Errorf("%s is sensitive", text)
		}
	}
}

// What programs print of a value that a function made is masked too.
func TestWhatFunctionsMakeOfSecretsIsMasked(t *testing.T) {
	t.Parallel()
	s, redactor := scope(t)
	for text, made := range map[string]string{
		`strrev(var.text)`: "zZ-22retnuh", `split("-", var.text)`: "hunter22", `local.login`: "s3cr3t-pa55", `replace(var.text, "n", "__")`: "hu__ter22-Zz",
		`tonumber("${var.pin}") + 0`: "904173", `sha256(var.text)`: "cb4d3ba0c5d71c41d0fe5a7c2a5a6a3e", `base64encode(var.text)`: "aHVudGVyMjItWno=",
	} {
		got := value(t, s, text)
		if strings.HasPrefix(text, "sha256") {
			made = sensitive.Texts(got)[0]
		}
		if shown := redactor.Redact("<" + made + ">"); shown != "<***>" {
			t.Errorf("%s: %s is shown as %s", text, made, shown)
		}
	}
	value(t, s, `upper("nothing secret ${var.open}")`)
	if text := "NOTHING SECRET OPEN"; redactor.Redact(text) != text {
		t.Error("what is made of no secret is masked")
	}
}

// Errors of functions quote their arguments.
func TestErrorsShowNoSensitiveValue(t *testing.T) {
	t.Parallel()
	s, _ := scope(t)
	for text, want := range map[string]string{
		`cidrhost(jsondecode(var.creds).otp, 1)`:  "A sensitive value is the reason, so it is not shown.",
		`tonumber(jsondecode(var.creds).otp)`:     "A sensitive value is the reason, so it is not shown.",
		`tonumber("7 1")`:                         `Invalid value for "v" parameter: cannot convert "7 1" to number; given string must be a decimal representation of a number.`,
		`{ for x in ["a", "b"] : var.text => x }`: "A sensitive value is the reason, so it is not shown.",
	} {
		expr, problems := hclsyntax.ParseExpression([]byte(text), "x.hcl", hcl.InitialPos)
		if problems.HasErrors() {
			t.Fatal(problems)
		}
		_, problems = expr.Value(s.Context("x.hcl"))
		if got := diag.FromHCL(problems); len(got) != 1 || got[0].Detail != want {
			t.Errorf("%s: got %v, want %s", text, got, want)
		}
	}
}

func TestSecretsThatAreTooShortToBeMaskedAreRefused(t *testing.T) {
	t.Parallel()
	in := input(t, `
variable "pin" {
  type      = number
  sensitive = true
}
variable "logins" { sensitive = true }
variable "none" {
  default   = ""
  sensitive = true
}
variable "word" {
  default   = "abc "
  sensitive = true
}
`, map[string]string{"v.hcl": "logins = { a = { pin = \"4711\", long = \"longenough\" } }\n"})
	in.Vars, in.VarFiles = map[string]string{"pin": "1234"}, []string{"v.hcl"}
	_, diags := New(in)
	const advice = "Fewer than 5 cannot be masked in what programs print. Choose a longer value, or keep it out of what is sensitive."
	want := []string{
		"v.hcl:1,10-55: Secret too short: var.logins.a.pin is secret and has 4 bytes. " + advice,
		"x.hcl:2,1-15: Secret too short: var.pin is secret and has 4 bytes. " + advice,
		"x.hcl:12,15-21: Secret too short: var.word is secret and has 3 bytes. " + advice,
	}
	if got := strings.Split(diags.Error(), "\n"); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

package eval

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/diag"
	"kinit/engine/internal/sensitive"
	"kinit/engine/internal/spec"
	"kinit/engine/secret"
)

// input is that of a spec's text, with further files beside it.
func input(t *testing.T, text string, files map[string]string) Input {
	t.Helper()
	dir := t.TempDir()
	files2 := map[string]string{"x.hcl": text}
	for name, content := range files {
		files2[name] = content
	}
	for name, content := range files2 {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	src := spec.Sources{Cwd: dir, Home: "/home/user"}
	s, diags := spec.Load(src, "x.hcl")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	return Input{Spec: s, Sources: src}
}

// text evaluates an expression in a file of a scope.
func text(t *testing.T, s *Scope, file, expression string) string {
	t.Helper()
	expr, problems := hclsyntax.ParseExpression([]byte(expression), file, hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	value, problems := expr.Value(s.Context(file))
	if problems.HasErrors() {
		return diag.FromHCL(problems)[0].Detail
	}
	if !value.IsKnown() {
		return "unknown"
	}
	plain, _ := sensitive.Plain(value)
	return plain.AsString()
}

func TestVariablesTakeTheValueWithMostPrecedence(t *testing.T) {
	t.Parallel()
	in := input(t, `
spec "x" {
  vars = { a = "spec", b = "spec", c = "spec", d = "spec", e = "spec" }
}
variable "a" {}
variable "b" {}
variable "c" {}
variable "d" {}
variable "e" {}
variable "f" { default = "default" }
`, map[string]string{"one.hcl": `a = "one", b = "one"`, "two.json": `{"a": "two"}`})
	in.Inventory = map[string]cty.Value{"a": cty.StringVal("inventory"), "b": cty.StringVal("inventory"), "c": cty.StringVal("inventory"), "d": cty.StringVal("inventory"), "other": cty.True}
	in.Environ = []string{"KINIT_VAR_a=env", "KINIT_VAR_b=env", "KINIT_VAR_c=env=", "KINIT_VAR_other=x", "HOME=/"}
	in.VarFiles = []string{"one.hcl", "two.json"}
	in.Vars = map[string]string{"a": "cli"}
	if err := os.WriteFile(filepath.Join(in.Sources.Cwd, "one.hcl"), []byte("a = \"one\"\nb = \"one\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := "cli one env= inventory spec default"
	if got := text(t, s, "x.hcl", `"${var.a} ${var.b} ${var.c} ${var.d} ${var.e} ${var.f}"`); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	delete(in.Vars, "a")
	s, _ = New(in)
	if got := text(t, s, "x.hcl", `var.a`); got != "two" {
		t.Errorf("the last file does not win: %s", got)
	}
}

func TestVariablesHaveTypes(t *testing.T) {
	t.Parallel()
	const declared = `
variable "text" { type = string }
variable "number" { type = number }
variable "list" { type = list(string) }
variable "object" {
  type = object({ name = string, size = optional(number, 3) })
}
variable "any" {}
`
	in := input(t, declared, nil)
	in.Vars = map[string]string{"text": "[1]", "number": "7", "list": `["a", "b"]`, "object": `{ name = "x" }`, "any": "[1]"}
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	want := `{"any":"[1]","list":["a","b"],"number":7,"object":{"name":"x","size":3},"text":"[1]"}`
	if diff := cmp.Diff(want, text(t, s, "x.hcl", `jsonencode(var)`)); diff != "" {
		t.Error(diff)
	}
}

func TestScopeHasPathsAndRun(t *testing.T) {
	t.Parallel()
	in := input(t, `
import { source = "base" }
stage "last" { after = ["first"] }
stage "first" {}
`, map[string]string{"base/y.hcl": "", "base/motd": "of base", "motd": "of x"})
	in.Hosts = cty.ObjectVal(map[string]cty.Value{"nyctea": cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("nyctea")})})
	in.Run = Run{Hosts: []string{"nyctea"}, Recreate: true}
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	tests := []struct{ file, expr, want string }{
		{"x.hcl", `file("motd")`, "of x"},
		{"base/y.hcl", `file("motd")`, "of base"},
		{"base/y.hcl", `file("${path.playbook}/motd")`, "of base"},
		{"base/y.hcl", `path.playbook`, in.Sources.Cwd + "/base"},
		{"base/y.hcl", `path.spec`, in.Sources.Cwd},
		{"x.hcl", `"${path.cwd} ${path.home}"`, in.Sources.Cwd + " /home/user"},
		{"x.hcl", `"${run.last_stage},${run.stop_after},${run.recreate},${run.purge},${run.check}"`, "last,,true,false,false"},
		{"x.hcl", `hosts[run.hosts[0]].name`, "nyctea"},
		{"x.hcl", `var.x`, `There is no "x" in var. Declare it, as in: variable "x" { default = … }`},
	}
	for _, test := range tests {
		if got := text(t, s, test.file, test.expr); got != test.want {
			t.Errorf("%s in %s is %q, want %q", test.expr, test.file, got, test.want)
		}
	}
	in.Run.StopAfter = "first"
	s, _ = New(in)
	if got := text(t, s, "x.hcl", `run.last_stage`); got != "first" {
		t.Errorf("the last stage is %q", got)
	}
}

func TestLocalsAreSortedAndThoseOfTheClusterComeLater(t *testing.T) {
	t.Parallel()
	in := input(t, `
locals {
  c = "${local.b}c"
  a = "a"
  b = "${local.a}b"
  far  = "${local.near}!"
  near = "${cluster.name} ${local.a}"
}
`, nil)
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := text(t, s, "x.hcl", `local.c`); got != "abc" {
		t.Errorf("c is %q", got)
	}
	if got := text(t, s, "x.hcl", `local.far`); got != "unknown" {
		t.Errorf("before the cluster, far is %q", got)
	}
	if diags := s.SetCluster(cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("k")})); len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := text(t, s, "x.hcl", `"${local.far} ${cluster.name}"`); got != "k a! k" {
		t.Errorf("after the cluster, far is %q", got)
	}
}

func TestNewTellsEveryMistakeOnce(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		text string
		vars map[string]string
		want string
	}{
		"a missing value": {
			"variable \"size\" {}\nlocals { a = var.size }", nil,
			`x.hcl:1,1-16: Missing value: The variable "size" has no default and no value. Give it one by --var size=…, in a --var-file, as KINIT_VAR_size, or in the vars of an inventory.`,
		},
		"a name of an earlier version": {
			`locals { a = run.look }`, nil,
			`x.hcl:1,17-22: Unknown name: run.look is called run.inspect now.`,
		},
		"an unknown variable": {
			`variable "size" { default = 1 }`, map[string]string{"sise": "1"},
			`Unknown variable: The playbook has no variable "sise", for which --var has a value. Did you mean "size"?`,
		},
		"a value of the wrong type": {
			`variable "size" { type = number }`, map[string]string{"size": "big"},
			`x.hcl:1,1-16: Invalid value: The value of variable "size" from --var is not of its type number: a number is required.`,
		},
		"a default of the wrong type": {
			"variable \"sizes\" {\n  type    = map(number)\n  default = { a = \"x\" }\n}", nil,
			`x.hcl:3,13-24: Invalid value: The value of variable "sizes" from its default is not of its type map(number): at ["a"], a number is required.`,
		},
		"no expression": {
			`variable "list" { type = list(string) }`, map[string]string{"list": "[a"},
			`x.hcl:1,1-16: Invalid value: The value of variable "list" from --var is no expression: There is no corresponding closing bracket before the end of the file. This may be caused by incorrect bracket nesting elsewhere in this file. Write lists and objects as in HCL, such as ["a", "b"].`,
		},
		"a failed validation, and what would fail because of it": {
			"variable \"size\" {\n  default = 1\n  validation {\n    condition     = var.size > 1\n    error_message = \"Small.\"\n  }\n}\nlocals { a = [0, 1][var.size + 1] }", nil,
			`x.hcl:4,21-33: Invalid value: Small.`,
		},
		"a failed validation": {
			"variable \"size\" {\n  default = 1\n  validation {\n    condition     = var.size > 1\n    error_message = \"The size is ${var.size}.\"\n  }\n}", nil,
			`x.hcl:4,21-33: Invalid value: The size is 1.`,
		},
		"a condition that is no truth": {
			"variable \"size\" {\n  default = 1\n  validation {\n    condition     = \"x\"\n    error_message = \"x\"\n  }\n}", nil,
			`x.hcl:4,21-24: Invalid condition: A condition must be true or false.`,
		},
		"locals in a cycle": {
			"locals {\n  b = local.a\n  a = local.b\n  c = local.a\n}", nil,
			`x.hcl:3,3-4: Locals in a cycle: Each of these locals refers to the next one: local.a → local.b → local.a. Write the value of one of them without the others.`,
		},
		"an unknown local": {
			"locals {\n  port = 1\n  x = local.prot\n}", nil,
			`x.hcl:3,7-17: Unknown local: There is no local "prot". Did you mean "port"?`,
		},
		"a local of an instance": {
			`locals { a = each.key }`, nil,
			`x.hcl:1,14-22: Invalid reference: A local has a value for the playbook or for each host, not for each instance of a task, so it cannot refer to each. Write the expression in the task.`,
		},
		"an unknown name": {
			"variable \"size\" { default = 1 }\nlocals { a = var.sise }", nil,
			`x.hcl:2,17-22: Unknown name: There is no "sise" in var. Did you mean "size"?`,
		},
		"a default that refers": {
			`variable "size" { default = var.x }`, nil,
			`x.hcl:1,29-32: Unknown name: There is no "var" here. There is only path.`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := input(t, test.text, nil)
			in.Vars = test.vars
			_, diags := New(in)
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestVarFilesTellTheirMistakes(t *testing.T) {
	t.Parallel()
	in := input(t, `variable "size" { default = 1 }`, map[string]string{
		"unknown.hcl": "sise = 2\n", "unknown.json": `{"sise": 2}`, "list.json": `[]`, "syntax.hcl": "size = \n",
	})
	tests := map[string]string{
		"unknown.hcl":  `unknown.hcl:1,1-5: Unknown variable: The playbook has no variable "sise", for which unknown.hcl has a value. Did you mean "size"?`,
		"unknown.json": `Unknown variable: The playbook has no variable "sise", for which unknown.json has a value. Did you mean "size"?`,
		"list.json":    `Invalid file: The file list.json is no JSON object with values of variables.`,
		"syntax.hcl":   `syntax.hcl:1,8-2,1: Invalid expression: Expected the start of an expression, but found an invalid expression token.`,
	}
	for file, want := range tests {
		in.VarFiles = []string{file}
		_, diags := New(in)
		if diff := cmp.Diff(want, diags.Error()); diff != "" {
			t.Errorf("%s: %s", file, diff)
		}
	}
	in.VarFiles = []string{"nothing.hcl"}
	if _, diags := New(in); diags[0].Summary != "Unreadable file" {
		t.Error(diags)
	}
}

func TestSensitiveValuesAreMasked(t *testing.T) {
	t.Parallel()
	in := input(t, `
variable "keys" {
  type      = map(string)
  sensitive = true
}
variable "plain" { default = "visible" }
`, nil)
	in.Vars = map[string]string{"keys": `{ a = "hunter2-a", b = "hunter2-b" }`}
	in.Redactor = &secret.Redactor{}
	if _, diags := New(in); len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := in.Redactor.Redact("hunter2-a hunter2-b visible"); got != "*** *** visible" {
		t.Error(got)
	}
}

func TestInputsOfAnImportComeBeforeDefaultsAndAfterTheSpec(t *testing.T) {
	t.Parallel()
	in := input(t, `
spec "x" { vars = { b = "spec" } }
import {
  source = "web"
  inputs = {
    a = upper("import")
    b = "import"
  }
}
`, map[string]string{"web/x.hcl": `
variable "a" { default = "default" }
variable "b" { default = "default" }
variable "c" { default = "default" }
`})
	s, diags := New(in)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := text(t, s, "x.hcl", `"${var.a} ${var.b} ${var.c}"`); got != "IMPORT spec default" {
		t.Errorf("got %s", got)
	}
}

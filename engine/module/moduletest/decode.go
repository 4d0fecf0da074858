package moduletest

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/gohcl"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/module"
)

// Decode makes a task from the arguments of a task block, as a playbook writes
// them, without references and functions. A mistake fails the test.
func Decode(t testing.TB, kind module.Kind, arguments string) module.Task {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(arguments), kind.Name+".hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatalf("parse: %v", diags)
	}
	task := kind.New()
	if diags := gohcl.DecodeBody(file.Body, nil, task); diags.HasErrors() {
		t.Fatalf("decode: %v", diags)
	}
	return task
}

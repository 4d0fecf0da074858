package moduletest

import (
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/internal/plan/decode"
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
	body, task := file.Body.(*hclsyntax.Body), kind.New()
	decoder := decode.New(&hcl.EvalContext{}, decode.NewShared())
	decoder.Task(body, func() []string { return nil }, task, body.Range())
	if decoder.Diags.HasErrors() {
		t.Fatalf("decode: %v", decoder.Diags)
	}
	return task
}

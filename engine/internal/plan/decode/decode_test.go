package decode

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/engine/secret"
)

// common is embedded in the task.
type common struct {
	Path string       `hcl:"path"`
	Key  secret.Value `hcl:"key,optional"`
}

type part struct {
	common
	Size string `hcl:"size,optional" default:"small"`
}

type task struct {
	common
	module.Presence
	Parts []part `hcl:"part,block"`
}

func (*task) Plan(context.Context, module.Host) ([]module.Step, error) { return nil, nil }

// decoded decodes a text into a new task.
func decoded(t *testing.T, text string) (*task, *Decoder, *hclsyntax.Body) {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "test.hcl", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	body, made := file.Body.(*hclsyntax.Body), module.SetDefaults(&task{})
	d := New(&hcl.EvalContext{}, NewShared(Differs))
	d.Task(body, func() []string { return nil }, made, body.Range())
	return made, d, body
}

func TestArgumentsOfEmbeddedStructsAreDecodedAndShown(t *testing.T) {
	t.Parallel()
	made, d, body := decoded(t, "path = \"/a\"\nstate = \"absent\"\npart {\n  path = \"/b\"\n  key = \"opensesame\"\n}\npart {\n  path = \"/c\"\n  size = \"big\"\n}\n")
	if d.Diags.HasErrors() {
		t.Fatal(d.Diags)
	}
	want := &task{
		common: common{Path: "/a"}, Presence: module.Presence{State: "absent"},
		Parts: []part{{common{"/b", "opensesame"}, "small"}, {common{Path: "/c"}, "big"}},
	}
	if diff := cmp.Diff(want, made, cmp.AllowUnexported(task{}, part{})); diff != "" {
		t.Errorf("task (-want +got):\n%s", diff)
	}
	values, secrets := Arguments(made, Sensitivity{})
	shown := []event.Value{
		{Name: "path", Text: "/a"}, {Name: "state", Text: "absent"}, {Name: "part[0].path", Text: "/b"},
		{Name: "part[0].key", Text: "***", Mask: true}, {Name: "part[0].size", Text: "small"},
		{Name: "part[1].path", Text: "/c"}, {Name: "part[1].size", Text: "big"},
	}
	if diff := cmp.Diff(shown, values); diff != "" {
		t.Errorf("arguments (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"opensesame"}, secrets); diff != "" {
		t.Errorf("secrets (-want +got):\n%s", diff)
	}
	if literals := SecretLiterals(body, made); len(literals) != 1 || literals[0].Start.Line != 5 {
		t.Errorf("secret texts at %v, want one in line 5", literals)
	}
	if text, found := Text(made, "state"); text != "absent" || !found {
		t.Errorf("state %q, %t", text, found)
	}
}

func TestARequiredArgumentOfAnEmbeddedStructIsMissed(t *testing.T) {
	t.Parallel()
	_, d, _ := decoded(t, "stat = \"absent\"\n")
	var got []string
	for _, one := range d.Diags {
		got = append(got, one.Summary+": "+one.Detail)
	}
	want := []string{
		`Unknown argument: There is no argument "stat" here. Did you mean "state"?`,
		`Missing argument: The argument "path" is required.`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

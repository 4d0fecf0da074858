package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/secret"
	"kinit/modules/reference"
)

// sample is a task as modules have it, described in sampleSource.
type sample struct {
	Path   string                  `hcl:"path"`
	Count  int                     `hcl:"count,optional"`
	Flag   bool                    `hcl:"flag,optional"`
	Maybe  *bool                   `hcl:"maybe,optional"`
	Names  []string                `hcl:"names,optional"`
	Logins map[string]secret.Value `hcl:"logins,optional"`
	Any    cty.Value               `hcl:"any,optional"`
	shared
	One  *part  `hcl:"one,block"`
	Many []part `hcl:"many,block"`

	unexported int //lint:ignore U1000 it must not be described
}

type part struct {
	Label string `hcl:"label,label"`
	Size  string `hcl:"size"`
	Color string `hcl:"color,optional" enum:"red,green" default:"green"`
}

// shared is embedded.
type shared struct {
	Gait string `hcl:"gait,optional" enum:"walk,trot,run"`
}

func (*sample) Plan(context.Context, module.Host) ([]module.Step, error) { return nil, nil }

func (*sample) Outputs(context.Context, module.Host) (sampleOutputs, error) {
	return sampleOutputs{}, nil
}

type sampleOutputs struct {
	Path string `cty:"path"`
	All  []int  `cty:"all"`
}

// described is a source that knows the two types.
func described(task string, outputs map[string]string) *source {
	fields := map[string]string{"Path": "Path is the way,\nto walk.\n", "Count": "Count, when 0, means all.\n", "Flag": "Flag turns it on.\n"}
	for _, name := range []string{"Maybe", "Names", "Logins", "Any", "One", "Many"} {
		fields[name] = name + " are such.\n"
	}
	return &source{root: "no/such/root", folders: map[string]declared{"modules/reference/generate": {
		"sample":        {text: task, fields: fields},
		"sampleOutputs": {text: "sampleOutputs are such.\n", fields: outputs},
		"part":          {text: "part is one.\n", fields: map[string]string{"Label": "Label is it.\n", "Size": "Size is how much.\n", "Color": "Color is its color.\n"}},
		"shared":        {text: "shared is embedded.\n", fields: map[string]string{"Gait": "Gait is how.\n"}},
	}}}
}

func outputDocs() map[string]string {
	return map[string]string{"Path": "the way\n", "All": "the steps,\ncounted\n"}
}

const sampleDoc = `sample walks a way. It
does so twice.

More of it.

Errors:
  - there is no way
`

func TestDescribe(t *testing.T) {
	t.Parallel()
	kind := module.Kind{Name: "sample", New: func() module.Task { return &sample{Count: 3, Names: []string{"a"}} }}
	got, err := describe(described(sampleDoc, outputDocs()), kind)
	if err == nil || err.Error() != "its example: open no/such/root/modules/reference/generate/sample.example.hcl: no such file or directory" {
		t.Errorf("error %v, want the missing example only", err)
	}
	block := []reference.Argument{{Name: "label", Type: "label", Required: true, Text: "It."}, {Name: "size", Type: "string", Required: true, Text: "How much."},
		{Name: "color", Type: "string", Words: []string{"red", "green"}, Default: `"green"`, Text: "Its color."}}
	want := reference.Module{
		Name: "sample", Summary: "Walks a way", Text: "Walks a way. It does so twice.\n\nMore of it.",
		Arguments: []reference.Argument{
			{Name: "path", Type: "string", Required: true, Text: "The way, to walk."},
			{Name: "count", Type: "number", Default: "3", Text: "When 0, means all."},
			{Name: "flag", Type: "bool", Default: "false", Text: "Turns it on."},
			{Name: "maybe", Type: "bool", Text: "Such."},
			{Name: "names", Type: "list(string)", Default: `["a"]`, Text: "Such."},
			{Name: "logins", Type: "map(string)", Secret: true, Text: "Such."},
			{Name: "any", Type: "any", Text: "Such."},
			{Name: "gait", Type: "string", Words: []string{"walk", "trot", "run"}, Text: "How."},
			{Name: "one", Type: "block", Text: "Such.", Arguments: block},
			{Name: "many", Type: "block", Repeated: true, Text: "Such.", Arguments: block},
		},
		Outputs: []reference.Output{{Name: "all", Type: "list(number)", Text: "The steps, counted"}, {Name: "path", Type: "string", Text: "The way"}},
		Errors:  []string{"there is no way"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatACommentLacksIsTold(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 101)
	for name, c := range map[string]struct {
		doc, want string
		outputs   map[string]string
	}{
		"no meaning of an output": {sampleDoc, "output path has no comment", map[string]string{"All": "the steps\n"}},
		"no errors":               {strings.Split(sampleDoc, "\nErrors:")[0], `its comment has no list after "Errors:"`, outputDocs()},
		"a long first sentence": {strings.Replace(sampleDoc, "walks", long, 1),
			"the first sentence of its comment has 107 characters, want at most 100: X" + long[1:] + " a way", outputDocs()},
	} {
		_, err := describe(described(c.doc, c.outputs), module.Kind{Name: "sample", New: func() module.Task { return &sample{} }})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestSourceIsReadFromFiles(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	source := "package sample\n\n// Way is one way.\ntype Way struct {\n\t// Steps is the number of steps.\n\tSteps int `hcl:\"steps\"`\n}\n"
	if err := os.WriteFile(filepath.Join(folder, "way.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	types, err := readFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if got := types["Way"]; got.text != "Way is one way.\n" || got.fields["Steps"] != "Steps is the number of steps.\n" {
		t.Errorf("comments %+v", got)
	}
}

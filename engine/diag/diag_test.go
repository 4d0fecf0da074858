package diag

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

func at(file string, byteAt int) *hcl.Range {
	return &hcl.Range{Filename: file, Start: hcl.Pos{Line: 1, Column: byteAt + 1, Byte: byteAt}, End: hcl.Pos{Line: 1, Column: byteAt + 2, Byte: byteAt + 1}}
}

func TestErrorNamesPlaceSummaryAndDetail(t *testing.T) {
	t.Parallel()
	list := List{
		{Summary: "Unknown module", Detail: "There is no module.", Subject: at("a.hcl", 4)},
		{Summary: "No spec"},
	}
	want := "a.hcl:1,5-6: Unknown module: There is no module.\nNo spec"
	if got := list.Err().Error(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrIsNilWithoutErrors(t *testing.T) {
	t.Parallel()
	if err := (List{{Warning: true, Summary: "careful"}}).Err(); err != nil {
		t.Errorf("got %v", err)
	}
	if err := (List(nil)).Err(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestErrFindsCauses(t *testing.T) {
	t.Parallel()
	list := List{{Summary: "x"}, {Summary: "y", Cause: &fs.PathError{Err: fs.ErrNotExist}}}
	if err := list.Err(); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is not found")
	}
}

func TestSortPutsErrorsFirstThenByPlace(t *testing.T) {
	t.Parallel()
	list := List{
		{Summary: "5", Warning: true},
		{Summary: "4", Subject: at("b.hcl", 0)},
		{Summary: "3", Subject: at("a.hcl", 9)},
		{Summary: "2", Subject: at("a.hcl", 1)},
		{Summary: "1"},
	}
	list.Sort()
	var got string
	for _, d := range list {
		got += d.Summary
	}
	if got != "12345" {
		t.Errorf("got %s", got)
	}
}

func TestFromHCLOffersNamesThatAnObjectHas(t *testing.T) {
	t.Parallel()
	inner := &hcl.EvalContext{Variables: map[string]cty.Value{
		"var": cty.ObjectVal(map[string]cty.Value{
			"version": cty.StringVal("1"),
			"sizes":   cty.ObjectVal(map[string]cty.Value{"small": cty.Zero}),
			"any":     cty.DynamicVal,
		}),
	}}
	scope := inner.NewChild()
	tests := map[string]struct{ expr, want string }{
		"an attribute":       {`var.verson`, `There is no "verson" in var. Did you mean "version"?`},
		"an inner attribute": {`var.sizes.smal`, `There is no "smal" in var.sizes. Did you mean "small"?`},
		"nothing is like it": {`var.zzzzzz`, `There is no "zzzzzz" in var. There are any, sizes and version.`},
		"no object":          {`var.version.x`, `Can't access attributes on a primitive-typed value (string).`},
		"a root":             {`vra.x`, `There is no "vra" here. Did you mean "var"?`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			expr, _ := hclsyntax.ParseExpression([]byte(test.expr), "x.hcl", hcl.InitialPos)
			_, problems := expr.Value(scope)
			list := FromHCL(problems)
			if len(list) != 1 {
				t.Fatalf("got %v", list)
			}
			if diff := cmp.Diff(test.want, list[0].Detail); diff != "" {
				t.Error(diff)
			}
		})
	}
}

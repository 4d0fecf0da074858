package eval

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// names are as many texts, in a tuple as a for expression makes it.
func names(n int) cty.Value {
	all := make([]cty.Value, n)
	for i := range all {
		all[i] = cty.StringVal(fmt.Sprintf("n%04d", i))
	}
	return cty.TupleVal(all)
}

func TestFunctionsTakeTuplesAsLists(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		{`distinct(["b", "a", "b"])`, `["b","a"]`},
		{`distinct([])`, `[]`},
		{`distinct([1, 2, 1])`, `[1,2]`},
		{`distinct([1, "1", "a"])`, `["1","a"]`},
		{`distinct([unknown, "a"])`, `unknown`},
		{`distinct(["a", null, "a", null])`, `["a",null]`},
		{`distinct([{ a = 1 }, { a = 1 }])`, `[{"a":1}]`},
		{`distinct("a")`, `Invalid value for "list" parameter: list of dynamic required, but have string.`},
		{`toset(["b", "a", "b"])`, `["a","b"]`},
		{`tolist(["b", 1])`, `["b","1"]`},
		{`setproduct(["a", "b"], [1])`, `[["a",1],["b",1]]`},
		{`setproduct(["a", 2], ["x"])`, `[["a","x"],["2","x"]]`},
		{`setproduct([], ["x"])`, `[]`},
		{`setunion(["a"], ["b", "a"])`, `["a","b"]`},
		{`chunklist(["a", "b", "c"], 2)`, `[["a","b"],["c"]]`},
		{`join("-", ["a", "b"], list)`, `"a-b-b-a"`},
		{`join("-", [1, "b"])`, `"1-b"`},
		{`join("-", ["a", unknown])`, `unknown`},
		{`join("-", "a")`, `Invalid value for "lists" parameter: list of string required, but have string.`},
		{`sort(["b", "a"])`, `["a","b"]`},
		{`sum([1, 2])`, `3`},
		{`alltrue([true, false])`, `false`},
		{`compact(["a", ""])`, `["a"]`},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.want, evaluate(t, test.text)); diff != "" {
			t.Errorf("%s: %s", test.text, diff)
		}
	}
}

// BenchmarkDistinct10000 and its like grow with the number of names, not with its square.
func BenchmarkDistinct10000(b *testing.B) {
	f := uniform(distinct)
	for b.Loop() {
		if _, err := f.Call([]cty.Value{names(10_000)}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestDistinctIsTheStandardLibrarys(t *testing.T) {
	t.Parallel()
	list := cty.ListVal(append(names(20).AsValueSlice(), names(10).AsValueSlice()...))
	want, err := stdlib.Distinct(list)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := distinct.Call([]cty.Value{list}); err != nil || !got.RawEquals(want) {
		t.Errorf("got %#v, %v; want %#v", got, err, want)
	}
}

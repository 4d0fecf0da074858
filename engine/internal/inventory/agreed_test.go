package inventory

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
)

func TestAgreedTakesWhatAllHostsSayOverTheTopLevel(t *testing.T) {
	t.Parallel()
	inv := &Inventory{Vars: map[string]cty.Value{"a": cty.StringVal("top"), "b": cty.StringVal("top")}}
	hosts := []*Host{
		{Vars: map[string]cty.Value{"a": cty.StringVal("group"), "c": cty.True, "d": cty.NumberIntVal(1)}},
		{Vars: map[string]cty.Value{"a": cty.StringVal("group"), "c": cty.False}},
	}
	got := map[string]string{}
	for name, value := range inv.Agreed(hosts) {
		got[name] = value.AsString()
	}
	want := map[string]string{"a": "group", "b": "top"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestAgreedWithoutHostsIsTheTopLevel(t *testing.T) {
	t.Parallel()
	inv := &Inventory{Vars: map[string]cty.Value{"a": cty.StringVal("top")}}
	if got := inv.Agreed(nil); len(got) != 1 || got["a"].AsString() != "top" {
		t.Errorf("got %#v", got)
	}
}

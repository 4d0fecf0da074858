package sensitive_test

import (
	"slices"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/internal/sensitive"
)

// login is an object of which the password and a list of pins are sensitive.
func login() cty.Value {
	return cty.ObjectVal(map[string]cty.Value{
		"user":     cty.StringVal("app"),
		"password": sensitive.Mark(cty.StringVal("hunter22")),
		"pins":     sensitive.Mark(cty.TupleVal([]cty.Value{cty.NumberIntVal(123456), cty.StringVal("x"), cty.NullVal(cty.String), cty.True})),
	})
}

func TestTheMarkIsFoundInsideAndTakenAway(t *testing.T) {
	t.Parallel()
	if !sensitive.Is(login()) || sensitive.Itself(login()) {
		t.Errorf("sensitive: %v, as a whole: %v", sensitive.Is(login()), sensitive.Itself(login()))
	}
	plain, is := sensitive.Plain(login())
	if !is || plain.ContainsMarked() || plain.GetAttr("password").AsString() != "hunter22" {
		t.Errorf("got %#v, %v", plain, is)
	}
	if _, is := sensitive.Plain(plain); is || sensitive.Is(plain) || sensitive.Is(cty.NilVal) {
		t.Error("a plain value counts as sensitive")
	}
}

func TestTextsAreThoseOfTheSensitiveParts(t *testing.T) {
	t.Parallel()
	if got, want := sensitive.Texts(login()), []string{"hunter22", "123456", "x"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	keyed := sensitive.Mark(cty.MapVal(map[string]cty.Value{"token-key": cty.StringVal("v")}))
	if got, want := sensitive.Texts(keyed), []string{"token-key", "v"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := sensitive.Texts(sensitive.Mark(cty.UnknownVal(cty.String))); len(got) != 0 {
		t.Errorf("an unknown value has the texts %q", got)
	}
}

func TestMaskedShowsWhatIsNotSensitive(t *testing.T) {
	t.Parallel()
	want := cty.ObjectVal(map[string]cty.Value{
		"user": cty.StringVal("app"), "password": cty.StringVal("(sensitive)"), "pins": cty.StringVal("(sensitive)"),
	})
	if got := sensitive.Masked(login()); !got.RawEquals(want) {
		t.Errorf("got %#v", got)
	}
	list := cty.TupleVal([]cty.Value{cty.StringVal("--password"), sensitive.Mark(cty.StringVal("hunter22"))})
	if got := sensitive.Masked(list); !got.RawEquals(cty.TupleVal([]cty.Value{cty.StringVal("--password"), cty.StringVal("(sensitive)")})) {
		t.Errorf("got %#v", got)
	}
	if got := sensitive.Masked(sensitive.Mark(cty.NumberIntVal(4))); !got.RawEquals(cty.StringVal("(sensitive)")) {
		t.Errorf("got %#v", got)
	}
}

package exactjson

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

type inner struct {
	ID string `json:"id"`
}

type outer struct {
	inner
	Inner   inner             `json:"inner"`
	Texts   []string          `json:"texts"`
	Map     map[string]string `json:"map"`
	Pointer *inner            `json:"pointer"`
	Number  int               `json:"number"`
}

func TestBytesThatAreNotUTF8Survive(t *testing.T) {
	t.Parallel()
	value := func() outer {
		return outer{
			inner{"/Jos\xe9"}, inner{"\xff\n"}, []string{"a", "\xe9", "\x00base64:x", "é"}, map[string]string{"k": "\xfe"}, &inner{"\x80"}, 3,
		}
	}
	before := value()
	for _, marshal := range []func(any) ([]byte, error){Marshal, func(v any) ([]byte, error) { return MarshalIndent(v, "", " ") }} {
		text, err := marshal(before)
		if err != nil {
			t.Fatal(err)
		}
		var after outer
		if err := Unmarshal(text, &after); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(value(), after, cmp.AllowUnexported(outer{})); diff != "" {
			t.Errorf("%s", diff)
		}
		if diff := cmp.Diff(value(), before, cmp.AllowUnexported(outer{})); diff != "" {
			t.Errorf("the value was changed: %s", diff)
		}
	}
}

func TestOrdinaryTextsAreOrdinaryJSON(t *testing.T) {
	t.Parallel()
	value := outer{Texts: []string{"é", ""}}
	got, err := Marshal(value)
	want, _ := json.Marshal(value)
	if err != nil || string(got) != string(want) {
		t.Errorf("%s, %v, want %s", got, err, want)
	}
}

func TestBrokenCodeIsAnError(t *testing.T) {
	t.Parallel()
	var got []string
	if err := Unmarshal([]byte(`["\u0000base64:?"]`), &got); err == nil {
		t.Errorf("%q", got)
	}
}

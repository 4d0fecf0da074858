package bounds

import (
	"strings"
	"testing"
)

func TestJSONWithManyOrDeepValuesIsRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"a": [1, 2, {"b": "x"}], "c": "[[[[[[[[,,,,,,,,"}`:                 "",
		`{"a": "\"[[[[[[[[,,,,,,,,"}`:                                        "",
		"[" + strings.Repeat("{},", 8) + "{}]":                               "it has more than 10 values",
		`{"a": [1, 2, 3, 4, 5], "b": [6, 7, 8, 9, 10]}`:                      "it has more than 10 values",
		strings.Repeat("[", 5) + strings.Repeat("]", 5):                      "its values are nested more than 4 deep",
		"[" + strings.Repeat("[],", 3) + "[" + strings.Repeat(" ", 9) + "]]": "",
	} {
		got := ""
		if _, err := JSON([]byte(text), 10, 4); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

func TestJSONOfAHostThatWouldFillTheMemoryIsRefused(t *testing.T) {
	t.Parallel()
	list := func(n int, element string) string { return "[" + strings.Repeat(element+",", n-1) + element + "]" }
	for name, c := range map[string]struct{ text, want string }{
		"a usual list":           {list(5_000, `{"name": "a", "labels": {"b": "c,[{"}}`), ""},
		"a long list":            {list(7_000, `{}`), "it has more than 40000 objects, or lists more than 6000"},
		"a long list in a field": {`{"items": ` + list(7_000, `{}`) + `}`, "it has more than 40000 objects, or lists more than 6000"},
		"many objects":           {`[{"a": ` + list(41_000, `{}`) + `}]`, "it has more than 40000 objects, or lists more than 6000"},
		"many values":            {`[{"a": ` + list(101_000, `0`) + `}]`, "it has more than 100000 values"},
	} {
		var into any
		got := ""
		if err := DecodeJSON([]byte(c.text), &into); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

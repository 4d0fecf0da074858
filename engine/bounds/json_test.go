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

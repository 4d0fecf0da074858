package content

import (
	"encoding/json"
	"testing"
)

func TestPatchIsTakenOutOfWhatTheFileIsNow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after, now, want string }{
		"nothing else changed":               {"a\nb\n", "a\nb\nmine\n", "a\nb\nmine\n", "a\nb\n"},
		"no line end":                        {"a\nb", "a\nb\nmine\n", "a\nb\nmine\n", "a\nb\n"},
		"a line in the first place":          {"a\n", "mine\na\n", "mine\na\nb\n", "a\nb\n"},
		"the only line":                      {"", "mine\n", "mine\nb\n", "b\n"},
		"others wrote above and below":       {"a\n", "a\nmine\n", "0\na\nmine\nb\n", "0\na\nb\n"},
		"others wrote between":               {"a\n", "a\nmine\n", "a\nb\nmine\n", "a\nb\n"},
		"a replaced line comes back":         {"a\nport 22\nb\n", "a\nport 23\nb\n", "a\nport 23\nb\nc\n", "a\nport 22\nb\nc\n"},
		"a replaced line that others took":   {"a\nport 22\nb\n", "a\nport 23\nb\n", "a\nport 99\nb\n", "a\nport 99\nb\n"},
		"a removed line comes back":          {"a\nb\nc\n", "a\nc\n", "a\nc\nd\n", "a\nb\nc\nd\n"},
		"a removed first line comes back":    {"a\nb\n", "b\n", "b\n", "a\nb\n"},
		"a removed line that is back":        {"a\nb\nc\n", "a\nc\n", "a\nb\nc\n", "a\nb\nc\n"},
		"a removed line without its place":   {"a\nb\nc\n", "a\nc\n", "x\nc\n", "x\nc\nb\n"},
		"two places":                         {"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n", "a\n1\nb\nc\nd\ne\nf\ng\nh\ni\nJ\n", "a\n1\nb\nc\nd\ne\nf\ng\nh\ni\nJ\nk\n", "a\nb\nc\nd\ne\nf\ng\nh\ni\nj\nk\n"},
		"the same line elsewhere, by others": {"x\na\n", "x\nmine\na\n", "x\nmine\na\nmine\n", "x\na\nmine\n"},
		"all lines are gone":                 {"a\n", "a\nmine\n", "", ""},
		"an empty line":                      {"a\n", "a\n\nmine\n", "a\n\nmine\nb\n", "a\nb\n"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			data, err := json.Marshal(between(Split(c.before), Split(c.after)))
			if err != nil {
				t.Fatal(err)
			}
			var p patch
			if err := json.Unmarshal(data, &p); err != nil {
				t.Fatal(err)
			}
			if got := Join(p.undo(Split(c.now))); got != c.want {
				t.Errorf("got %q, want %q, by %s", got, c.want, data)
			}
		})
	}
}

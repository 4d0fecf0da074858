package literal

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"
)

func TestParse(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`5`: `5`, `-5`: `-5`, `+5`: `5`, `- 5`: `-5`, `0`: `0`, `-0`: `0`, `00`: `0`, `1_000`: `1000`, `0x10`: `16`, `0o17`: `15`, `0b11`: `3`,
		`0xE-1`: `no`, `1.5`: `1.5`, `1.`: `1`, `.5`: `0.5`, `1E5`: `100000`, `1e-2`: `0.01`, `1_0.0_1`: `10.01`, `1e999`: `no`,
		`123456789012345678901234567890`: `123456789012345678901234567890`,
		`0644`:                           `no`, `1__0`: `no`, `1_`: `no`, `_1`: `no`, `--5`: `no`, `1+2j`: `no`, `2j`: `no`, `1e`: `no`, `inf`: `no`, `nan`: `no`, `0x`: `no`, `5 6`: `no`,
		`True`: `true`, `False`: `false`, `None`: `null`, `true`: `no`, `yes`: `no`, `FALSE`: `no`, ``: `no`, `...`: `no`,
		`"a"`: `"a"`, `'a' "b"`: `"ab"`, `'''x'''`: `"x"`, `"""a"b"""`: `"a\"b"`, `""`: `""`, `u'x'`: `"x"`, `r'a\n'`: `"a\\n"`, `r'\''`: `"\\'"`,
		`'a\x41\u0042\101\U00000043\q\\'`: `"aABAC\\q\\"`, `'\t\n\''`: `"\t\n'"`, `b'x'`: `no`, `f'x'`: `no`, `'a`: `no`, `'a\`: `no`, `'\x4'`: `no`, `'\ud800'`: `no`, `'\N{DASH}'`: `no`,
		`[1, 'b', [None, True]]`: `[1,"b",[null,true]]`, `[]`: `[]`, `[1,]`: `[1]`, `[1,2`: `no`, `[,]`: `no`, `[1 2]`: `no`,
		`(1,2)`: `[1,2]`, `(1)`: `1`, `(1,)`: `[1]`, `()`: `[]`, `1,2`: `[1,2]`, `1,`: `[1]`, `(1`: `no`,
		`{'a': 1, "b": {}}`: `{"a":1,"b":{}}`, `{1: 2, True: 3, None: 4}`: `{"1":2,"null":4,"true":3}`, `{'a':1,'a':2,}`: `{"a":2}`,
		`{1, 2, 1}`: `[1,2]`, `{1}`: `[1]`, `{'a'}`: `["a"]`, `{'a':}`: `no`, `{[1]: 2}`: `no`, `{'a': 1, 'b'}`: `no`, `{a: 1}`: `no`,
		`5 # five`: `5`, `[1, # one` + "\n2]": `[1,2]`, `# nothing`: `no`, `open('x')`: `no`, `'a' + 'b'`: `no`, `[x for x in y]`: `no`,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(want, show(Parse(text))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func show(value cty.Value, ok bool) string {
	if !ok {
		return "no"
	}
	text, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

func TestNestingHasAnEnd(t *testing.T) {
	t.Parallel()
	for depth, want := range map[int]bool{50: true, 1_000_000: false} {
		text := strings.Repeat("[", depth) + strings.Repeat("]", depth)
		if _, ok := Parse(text); ok != want {
			t.Errorf("%d brackets: %v", depth, ok)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{"[1, 'b', {'a': (1,)}]", `"\x41\u0042"`, "{1,2}", "0x1F", "1_0.5e-3", "r'\\'", "- 5", "'''a'''"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, ok := Parse(text)
		if ok && !value.IsWhollyKnown() {
			t.Errorf("%q has an unknown part", text)
		}
	})
}

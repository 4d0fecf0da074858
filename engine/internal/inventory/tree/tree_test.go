package tree

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/diag"
	"kinit/engine/internal/inventory/source"
)

// show is a node's value as JSON, or why it has none.
func show(n *Node) string {
	if n == nil {
		return "nothing"
	}
	v := n.Value()
	if v.Unread != source.Known {
		return string(v.Unread)
	}
	text, err := ctyjson.Marshal(v.Value, v.Value.Type())
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// TestYAMLScalars has what Ansible 2.14 makes of the same texts; ansible-inventory
// printed it.
func TestYAMLScalars(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"yes": "true", "No": "false", "on": "true", "True": "true", "tRue": `"tRue"`, "y": `"y"`, `"yes"`: `"yes"`, "~": "null", "": "nothing", "NULL": "null", "null": "null",
		"0644": "420", "0o644": `"0o644"`, "0x1F": "31", "0b101": "5", "1_000": "1000", "+5": "5", "-0": "0", "0_1": "1", "089": `"089"`,
		"123456789012345678901234567890": "123456789012345678901234567890",
		"1e3":                            `"1e3"`, "1.0e3": `"1.0e3"`, "1e+3": `"1e+3"`, "1.0e+3": "1000", "1.e3": `"1.e3"`, "1.": "1", ".5": "0.5", "-.5": `"-.5"`, "-1.5": "-1.5", "10.10": "10.1", "1.2.3": `"1.2.3"`,
		"12:30:45": "45045", "12:30": "750", "190:20:30": "685230", "1.5:30": `"1.5:30"`, "00:30": `"00:30"`,
		"2001-12-14": `"2001-12-14"`, ".inf": `".inf"`, "!!str 5": `"5"`, "!!int \"5\"": "5", "[1, a, {b: c}]": `[1,"a",{"b":"c"}]`, "|\n  a\n  b\n": `"a\nb\n"`,
		"{1: a, yes: b, 1.5: c, null: d, x: e}": `{"1":"a","1.5":"c","null":"d","true":"b","x":"e"}`,
		"{a: 1, <<: {m: 1, a: 2}}":              `{"a":1,"m":1}`, "{<<: [{a: 1}, {a: 2, b: 2}]}": `{"a":1,"b":2}`,
		"[&x {a: 1}, *x]": `[{"a":1},{"a":1}]`,
		`a {{ b }}`:       string(source.Jinja), `[x, "{% if x %}"]`: string(source.Jinja), "{a: 'b {{ c }}'}": string(source.Jinja),
		`!unsafe "{{ x }}"`: `"{{ x }}"`, `!unsafe ["{{ x }}", {a: "{{ y }}"}]`: `["{{ x }}",{"a":"{{ y }}"}]`,
		"!vault |\n  $ANSIBLE_VAULT;1.1;AES256\n  61\n": string(source.Vault), "{a: !vault x}": string(source.Vault),
		"{__ansible_vault: x}": string(source.Vault), `{__ansible_unsafe: "{{ x }}"}`: `"{{ x }}"`,
		"# only a comment": "nothing", "---": "null",
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			node, diags := YAML(source.NewText("f", []byte(text)))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(want, show(node)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestYAMLTellsWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"a tab":              {"web:\n\thosts:\n", "f:2,2-8: Invalid YAML: This line is not as YAML should be: found character that cannot start any token."},
		"indentation":        {"a:\n  b: 1\n c: 2\n", "f:3,2-6: Invalid YAML: This line is not as YAML should be: did not find expected key."},
		"an open list":       {"a: 1\nb: [1,\n\nc: 2\nd: 3\n", "f:2,1-7: Invalid YAML: This line is not as YAML should be: did not find expected ',' or ']'."},
		"an open quote":      {"a: 1\n\n# b\nb: \"x\nc: 2\nd: 3\n", "f:4,1-6: Invalid YAML: This line is not as YAML should be: found unexpected end of stream."},
		"an unknown anchor":  {"a: *b\n", "f:1,1-6: Invalid YAML: This line is not as YAML should be: unknown anchor 'b' referenced."},
		"two documents":      {"a: 1\n---\nb: 1\n", "f:2,1-4: Invalid YAML: A second document begins here; an inventory and a file of variables have one."},
		"a bad second one":   {"a: 1\n---\nb: [\n", "f:3,1-5: Invalid YAML: This line is not as YAML should be: did not find expected node content."},
		"a template":         {"a: {{ b }}\n", `f:1,5-11: Invalid key: A key must be text. A value that begins with a Jinja expression needs quotes, as in "{{ name }}".`},
		"a key twice":        {"a: 1\nħ: 1\na: 2\n", `f:3,1-2: Duplicate key: The key "a" is here a second time; the first, in line 1, does not count.`},
		"an unknown tag":     {"a: !ruby x\n", "f:1,4-11: Unknown YAML tag: The tag !ruby is not known; of Ansible's tags, kinit knows !unsafe and !vault."},
		"a merge of text":    {"a: {<<: b}\n", "f:1,9-10: Invalid YAML: What << merges must be a map or a list of maps."},
		"an alias of itself": {"a: &x\n  b: *x\n", "f:2,6-8: Invalid YAML: The alias *x stands within what it is an alias for."},
		"bytes":              {"a: \xff\n", "f:1,1-5: Invalid YAML: This line is not as YAML should be: invalid leading UTF-8 octet."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := YAML(source.NewText("f", []byte(test.text)))
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAliasesOfAliasesEnd(t *testing.T) {
	t.Parallel()
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := range 9 {
		alias := "*a" + string(rune('0'+i)) + ", "
		text += "a" + string(rune('1'+i)) + ": &a" + string(rune('1'+i)) + " [" + strings.Repeat(alias, 10) + "]\n"
	}
	_, diags := YAML(source.NewText("f", []byte(text)))
	if len(diags) != 1 || diags[0].Summary != "Too much YAML" {
		t.Errorf("got %v", diags)
	}
}

func TestPlacesOfYAML(t *testing.T) {
	t.Parallel()
	text := "web: # c\n  hosts:\n    \"one\": {a: 5} # c\n    two:\n      b: 'x y'\n      c: |\n        long\n      d: x  # c\n      ħ: [1]\n"
	node, diags := YAML(source.NewText("f", []byte(text)))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	var got []string
	var walk func(n *Node)
	walk = func(n *Node) {
		for _, p := range n.Pairs {
			got = append(got, p.Key+" "+p.At.String()+" "+p.Node.At.String())
			walk(p.Node)
		}
	}
	walk(node)
	want := []string{
		"web f:1,1-4 f:2,3-8", "hosts f:2,3-8 f:3,5-18", "one f:3,5-10 f:3,12-18", "a f:3,13-14 f:3,16-17", "two f:4,5-8 f:5,7-15",
		"b f:5,7-8 f:5,10-15", "c f:6,7-8 f:6,10-11", "d f:8,7-8 f:8,10-11", "ħ f:9,7-8 f:9,10-13",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"a": [1, 1.5, "x", true, null, {}]}`: `{"a":[1,1.5,"x",true,null,{}]}`,
		`{"a": "{{ b }}"}`:                     string(source.Jinja),
		`"\ud83d\ude00\/"`:                     `"😀/"`,
	}
	for text, want := range tests {
		t.Run(text, func(t *testing.T) {
			t.Parallel()
			node, diags := JSON(source.NewText("f", []byte(text)))
			if diags.HasErrors() {
				t.Fatal(diags)
			}
			if diff := cmp.Diff(want, show(node)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestJSONTellsWhatIsWrongAndWhere(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"a word":          {"{\"a\":\n oops}", "f:2,2-3: Invalid JSON: This is not as JSON should be: invalid character 'o' looking for beginning of value."},
		"an early end":    {"{\"a\": [1,\n", "f:2,1-1: Invalid JSON: This is not as JSON should be: the text ends too early."},
		"nothing":         {"", "f:1,1-1: Invalid JSON: This is not as JSON should be: the text ends too early."},
		"something after": {"{} x", "f:1,4-5: Invalid JSON: This is not as JSON should be: invalid character 'x' after top-level value."},
		"two values":      {"{} {}", "f:1,4-5: Invalid JSON: This is not as JSON should be: invalid character '{' after top-level value."},
		"a key twice":     {"{\"a\": 1,\n \"a\": 2}", `f:2,2-5: Duplicate key: The key "a" is here a second time; the first, in line 1, does not count.`},
		"a comma":         {"[1,]", "f:1,4-5: Invalid JSON: This is not as JSON should be: invalid character ']' looking for beginning of value."},
		"a large number":  {"[1e999]", "f:1,6-7: Invalid JSON: This is not as JSON should be: the number is too large."},
		"too deep":        {strings.Repeat("[", 300) + strings.Repeat("]", 300), "f:1,202-203: Invalid JSON: This is not as JSON should be: it is nested too deep."},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, diags := JSON(source.NewText("f", []byte(test.text)))
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzTrees(f *testing.F) {
	for _, seed := range []string{
		"a: [1, {b: c}]\n", "&a [*a]", "a: !vault |\n  x\n", "<<: {a: 1}", `{"a": [1, null]}`, "? [a]\n: b", "a: 'x", "- 12:30\n- 0x1F\n- !unsafe x",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, read := range []func(*source.Text) (*Node, diag.List){YAML, JSON} {
			node, diags := read(source.NewText("f", text))
			for _, d := range diags {
				if d.Subject == nil || d.Subject.End.Byte > len(text) {
					t.Errorf("no place: %v", d)
				}
			}
			if node != nil {
				node.Value()
			}
		}
	})
}

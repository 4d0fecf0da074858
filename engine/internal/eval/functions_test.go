package eval

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/internal/spec"
)

// evaluate is an expression's value as JSON, or the detail of its first problem.
func evaluate(t *testing.T, text string) string {
	t.Helper()
	src := spec.Sources{Cwd: "/srv", Home: "/home/user", Builtin: fstest.MapFS{
		"web/motd":         {Data: []byte("hello\n")},
		"web/sub/bytes":    {Data: []byte{0xff, 0xfe}},
		"web/page.tmpl":    {Data: []byte("%{ for n in names ~}\n${upper(n)}\n%{ endfor ~}\n")},
		"web/wrong.tmpl":   {Data: []byte("${nothing}")},
		"web/endless.tmpl": {Data: []byte(`${templatefile("endless.tmpl", {})}`)},
	}}
	expr, problems := hclsyntax.ParseExpression([]byte(text), "x.hcl", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	value, problems := expr.Value(&hcl.EvalContext{
		Functions: Functions(src, "builtin:web", nil),
		Variables: map[string]cty.Value{
			"unknown": cty.UnknownVal(cty.String),
			"list":    cty.ListVal([]cty.Value{cty.StringVal("b"), cty.StringVal("a")}),
			"set":     cty.SetVal([]cty.Value{cty.StringVal("only")}),
			"map":     cty.MapVal(map[string]cty.Value{"a": cty.StringVal("1")}),
		},
	})
	if problems.HasErrors() {
		return problems[0].Detail
	}
	if !value.IsWhollyKnown() {
		return "unknown"
	}
	json, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatal(err)
	}
	return string(json)
}

func TestFunctions(t *testing.T) {
	t.Parallel()
	tests := []struct{ text, want string }{
		// durations
		{`stretch("10m", 3)`, `"30m0s"`},
		{`stretch("10m", 0.5)`, `"10m0s"`},
		{`stretch("90s", 400)`, `"15m0s"`},
		{`stretch("10 min", 3)`, `Invalid value for "duration" parameter: give a duration such as "90s", not "10 min".`},
		// versions
		{`versioncompare("1.9.0", "1.10")`, `-1`},
		{`versioncompare("v1.2", "1.2.0")`, `0`},
		{`versioncompare("2.0.0", "2.0.0-rc1")`, `1`},
		{`versioncompare("new", "1")`, `Invalid value for "version" parameter: "new" is no version such as 1.4.2.`},
		{`versionmatches("1.28.3", ">= 1.27, < 1.29")`, `true`},
		{`versionmatches("2.1", "~> 1.4")`, `false`},
		{`versionmatches("2.1", "about 2")`, `Invalid value for "constraints" parameter: "about 2" is no constraint such as ">= 1.4, < 2".`},
		{`versionmatches(unknown, "~> 1.4")`, `unknown`},
		// regular expressions beyond Go's
		{`regex("a(?=b)", "aab")`, `"a"`},
		{`regex("(.)\\1", "xaab")`, `["a"]`},
		{`regex("(?P<twice>.)(?=x)", "abx")`, `{"twice":"b"}`},
		{`regexall("(.)\\1", "aabb")`, `[["a"],["b"]]`},
		{`regexall("(.)\\1", "ab")`, `[]`},
		{`regex("(.)\\1", "ab")`, `Call to function "regex" failed: pattern did not match any part of the given string.`},
		{`replace("port=80 port=8080", "/port=(?!8080)(.*?)(?= )/", "port=[$1]")`, `"port=[80] port=8080"`},
		// files that there may be
		{`firstfound("none", "motd", "page.tmpl")`, `"motd"`},
		{`firstfound("none")`, `Call to function "firstfound" failed: there is none of these files: builtin:web/none.`},
		{`fileset(".", "*.tmpl", "sub/*")`, `["endless.tmpl","page.tmpl","sub/bytes","wrong.tmpl"]`},
		{`fileset(".", "[")`, `Invalid value for "patterns" parameter: "[" is no pattern such as *.conf.`},
		// addresses
		{`cidrhost("10.0.0.0/24", 5)`, `"10.0.0.5"`},
		{`cidrhost("10.0.0.0/24", -2)`, `"10.0.0.254"`},
		{`cidrhost("10.0.0.77/24", 0)`, `"10.0.0.0"`},
		{`cidrhost("fd00::/64", 4294967296)`, `"fd00::1:0:0"`},
		{`cidrhost("10.0.0.0/24", 256)`, `Invalid value for "number" parameter: the network 10.0.0.0/24 has no address number 256.`},
		{`cidrhost("10.0.0.0/24", 1.5)`, `Invalid value for "number" parameter: give a whole number.`},
		{`cidrhost("10.0.0.0", 1)`, `Invalid value for "prefix" parameter: "10.0.0.0" is no network such as 10.0.0.0/24.`},
		{`cidrnetmask("10.0.0.0/21")`, `"255.255.248.0"`},
		{`cidrnetmask("0.0.0.0/0")`, `"0.0.0.0"`},
		{`cidrnetmask("fd00::/8")`, `Invalid value for "prefix" parameter: only IPv4 networks have a netmask.`},
		{`cidrsubnet("10.0.0.0/16", 8, 3)`, `"10.0.3.0/24"`},
		{`cidrsubnet("fd00::/48", 16, 255)`, `"fd00:0:0:ff::/64"`},
		{`cidrsubnet("10.0.0.0/24", 9, 0)`, `Invalid value for "bits" parameter: the network 10.0.0.0/24 cannot be lengthened by 9 bits.`},
		{`cidrsubnet("10.0.0.0/24", 2, 4)`, `Invalid value for "number" parameter: 2 bits have no number 4.`},
		// texts
		{`startswith("kinit", "ki")`, `true`},
		{`endswith("kinit", "ki")`, `false`},
		{`strcontains("kinit", "ini")`, `true`},
		{`replace("a.b.c", ".", "-")`, `"a-b-c"`},
		{`replace("a1b22", "/[0-9]+/", "#")`, `"a#b#"`},
		{`replace("ab", "/(a)(b)/", "$2$1")`, `"ba"`},
		{`replace("a", "/(/", "")`, "Call to function \"replace\" failed: invalid regular expression: error parsing regexp: missing closing ): `(`."},
		{`replace("a/b", "/", "-")`, `"a-b"`},
		{`join("-", [upper("a"), title("bc")])`, `"A-Bc"`},
		{`indent(2, "a\nb")`, `"a\n  b"`},
		{`regex("[a-z]+", "1ab2")`, `"ab"`},
		{`format("%03d", 7)`, `"007"`},
		{`urlencode("a b&c")`, `"a+b%26c"`},
		{`trimsuffix(chomp("a.b\n"), ".b")`, `"a"`},
		// collections
		{`length("äb")`, `2`},
		{`length([1, 2])`, `2`},
		{`length({ a = 1 })`, `1`},
		{`length(map)`, `1`},
		{`length(true)`, `Call to function "length" failed: give a list, set, map, object or text.`},
		{`lookup({ a = 1 }, "a")`, `1`},
		{`lookup({ a = 1 }, "b", "x")`, `"x"`},
		{`lookup(map, "b", null)`, `null`},
		{`lookup(map, "b")`, `Call to function "lookup" failed: there is no key "b", and no default is given.`},
		{`coalesce(null, "", "x")`, `"x"`},
		{`coalesce(null, 0)`, `0`},
		{`coalesce("", null)`, `Call to function "coalesce" failed: every argument is null or an empty text.`},
		{`coalesce(unknown, "x")`, `unknown`},
		{`one([])`, `null`},
		{`one(set)`, `"only"`},
		{`one([7])`, `7`},
		{`one([1, 2])`, `Call to function "one" failed: there are 2 elements, and at most one is allowed.`},
		{`sum([1, 2.5])`, `3.5`},
		{`sum([])`, `0`},
		{`alltrue([true, true])`, `true`},
		{`alltrue([true, false])`, `false`},
		{`alltrue([])`, `true`},
		{`anytrue([false, true])`, `true`},
		{`anytrue([])`, `false`},
		{`sort(list)`, `["a","b"]`},
		{`merge({ a = 1 }, { b = 2 })`, `{"a":1,"b":2}`},
		{`flatten([[1], [2, [3]]])`, `[1,2,3]`},
		{`setproduct(["a"], ["x", "y"])`, `[["a","x"],["a","y"]]`},
		{`zipmap(["a"], [1])`, `{"a":1}`},
		{`try(map.nothing, "x")`, `"x"`},
		{`can(map.nothing)`, `false`},
		{`tomap({ a = 1 })`, `{"a":1}`},
		{`tonumber("7")`, `7`},
		{`range(3)`, `[0,1,2]`},
		{`element(list, 3)`, `"a"`},
		{`chunklist([1, 2, 3], 2)`, `[[1,2],[3]]`},
		{`parseint("ff", 16)`, `255`},
		// encodings and hashes
		{`base64encode("kinit")`, `"a2luaXQ="`},
		{`base64decode("a2luaXQ=")`, `"kinit"`},
		{`base64decode("//4=")`, `Call to function "base64decode" failed: what the base64 holds is no text in UTF-8.`},
		{`base64decode("?")`, `Call to function "base64decode" failed: the text is no base64.`},
		{`jsondecode(jsonencode({ a = [1] })).a[0]`, `1`},
		{`yamldecode("a: [1, x]")`, `{"a":[1,"x"]}`},
		{`yamlencode({ a = "b" })`, `"\"a\": \"b\"\n"`},
		{`md5("a")`, `"0cc175b9c0f1b6a831c399e269772661"`},
		{`sha1("a")`, `"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"`},
		{`sha256("a")`, `"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"`},
		{`substr(sha512("a"), 0, 8)`, `"1f40fc92"`},
		{`uuidv5("dns", "www.example.com")`, `"2ed6657d-e927-568b-95e1-2665a8aea6a2"`},
		{`uuidv5("2ed6657d-e927-568b-95e1-2665a8aea6a2", "x") != uuidv5("url", "x")`, `true`},
		{`uuidv5("nothing", "x")`, `Call to function "uuidv5" failed: the namespace "nothing" is neither dns, url, oid, x500 nor a UUID.`},
		// files
		{`file("motd")`, `"hello\n"`},
		{`file("../web/motd")`, `"hello\n"`},
		{`file("builtin:web/motd")`, `"hello\n"`},
		{`file("nothing")`, `Call to function "file" failed: cannot read builtin:web/nothing: file does not exist.`},
		{`file("sub/bytes")`, `Call to function "file" failed: builtin:web/sub/bytes is no text in UTF-8; filebase64 reads any file.`},
		{`filebase64("sub/bytes")`, `"//4="`},
		{`filesha256("motd")`, `"5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"`},
		{`fileexists("motd")`, `true`},
		{`fileexists("nothing")`, `false`},
		{`templatefile("page.tmpl", { names = ["a", "b"] })`, `"A\nB\n"`},
		{`templatefile("page.tmpl", { names = [unknown] })`, `unknown`},
		{`templatefile("page.tmpl", [])`, `Invalid value for "values" parameter: give an object with the template's values.`},
		{`templatefile("wrong.tmpl", {})`, `Call to function "templatefile" failed: builtin:web/wrong.tmpl:1,3-10: Unknown name; There is no "nothing" here.`},
		{`basename("/a/b") == "b" && dirname("/a/b") == "/a"`, `true`},
		{`pathexpand("~/x")`, `"/home/user/x"`},
		{`abspath("/a/../b")`, `"/a/../b"`},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(test.want, evaluate(t, test.text)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTemplatesDoNotFillInFurtherOnes(t *testing.T) {
	t.Parallel()
	if got := evaluate(t, `templatefile("endless.tmpl", {})`); !strings.Contains(got, `There is no function "templatefile"`) {
		t.Error(got)
	}
}

package eval

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
	"github.com/zclconf/go-cty/cty/function"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/internal/spec"
	"kinit/engine/lists"
)

// functionsPage is the page with all functions, each with an example that is evaluated. With
// KINIT_UPDATE set, the test writes it.
const functionsPage = "../../../docs/functions.md"

const pageHead = `# Functions

The functions of expressions in playbooks, specs and inventories. They always return the same for the same arguments: none uses a clock
or random numbers. This page is generated; its examples are evaluated by the tests, which also have the files ` + "`motd`" + ` (with the text
hello), ` + "`site.tmpl`" + ` and ` + "`Debian.conf`" + ` beside the playbook.

`

func TestThePageHasEveryFunctionWithAnExampleThatHolds(t *testing.T) {
	t.Parallel()
	want := page(t)
	if os.Getenv("KINIT_UPDATE") != "" {
		if err := os.WriteFile(functionsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(functionsPage)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("docs/functions.md is outdated; regenerate it: make generate\n%s", diff)
	}
}

// page is the text of the page. A function without an example, or an example that is wrong, is an
// error.
func page(t *testing.T) string {
	t.Helper()
	files := reader{folder: "builtin:web", src: spec.Sources{Cwd: "/srv", Home: "/home/user", Builtin: fstest.MapFS{
		"web/motd": {Data: []byte("hello\n")}, "web/site.tmpl": {Data: []byte("listen ${port};")}, "web/Debian.conf": {Data: []byte("debian\n")},
	}}}
	known, groups, left := Functions(files.src, files.folder, nil), files.groups(), maps.Clone(examples)
	groups[len(groups)-1].functions["templatefile"] = known["templatefile"]
	var out strings.Builder
	out.WriteString(pageHead)
	for _, group := range groups {
		fmt.Fprintf(&out, "## %s\n\n| function | what it returns | example | its value |\n|---|---|---|---|\n", group.title)
		for _, name := range slices.Sorted(maps.Keys(group.functions)) {
			example, about := left[name].text, left[name].about
			if about == "" {
				about = known[name].Description()
			}
			if example == "" || about == "" {
				t.Errorf("the function %s has no example or no description", name)
			}
			delete(left, name)
			fmt.Fprintf(&out, "| `%s` | %s | `%s` | `%s` |\n", signature(name, known[name]), cell(about), cell(example), cell(asJSON(t, example, known)))
		}
		out.WriteString("\n")
	}
	if len(left) > 0 {
		t.Errorf("there are examples of functions that do not exist: %v", slices.Sorted(maps.Keys(left)))
	}
	return strings.TrimRight(out.String(), "\n") + "\n"
}

// signature returns how a function is called.
func signature(name string, f function.Function) string {
	parameters := lists.Map(f.Params(), func(p function.Parameter) string { return p.Name })
	if more := f.VarParam(); more != nil {
		parameters = append(parameters, more.Name+"...")
	}
	return name + "(" + strings.Join(parameters, ", ") + ")"
}

// asJSON returns the value of an example.
func asJSON(t *testing.T, text string, functions map[string]function.Function) string {
	t.Helper()
	expr, problems := hclsyntax.ParseExpression([]byte(text), "example", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatalf("the example %s: %v", text, problems)
	}
	value, problems := expr.Value(&hcl.EvalContext{Functions: functions, Variables: map[string]cty.Value{}})
	if problems.HasErrors() {
		t.Fatalf("the example %s: %v", text, problems)
	}
	json, err := ctyjson.Marshal(value, value.Type())
	if err != nil {
		t.Fatalf("the example %s: %v", text, err)
	}
	return string(json)
}

func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", "\\|"), "\n", " ")
}

// examples are an expression for each function. about is what functions of libraries return, in the
// words of the page; all others describe themselves.
var examples = map[string]struct{ text, about string }{
	"abs":             {`abs(-2)`, "A number without its sign."},
	"abspath":         {text: `abspath("motd")`},
	"alltrue":         {text: `alltrue([true, 1 < 2])`},
	"anytrue":         {text: `anytrue([false, 1 < 2])`},
	"base64decode":    {text: `base64decode("a2luaXQ=")`},
	"base64encode":    {text: `base64encode("kinit")`},
	"basename":        {text: `basename("/etc/motd")`},
	"can":             {`can(tonumber("many"))`, "Whether an expression has a value: false if it is an error."},
	"ceil":            {`ceil(1.2)`, "The next whole number that is not smaller."},
	"chomp":           {`chomp("text\n")`, "A text without line feeds at its end."},
	"chunklist":       {`chunklist(["a", "b", "c"], 2)`, "Cuts a list into lists of at most so many elements."},
	"cidrhost":        {text: `cidrhost("10.0.0.0/24", 5)`},
	"cidrnetmask":     {text: `cidrnetmask("10.0.0.0/21")`},
	"cidrsubnet":      {text: `cidrsubnet("10.0.0.0/16", 8, 3)`},
	"coalesce":        {text: `coalesce(null, "", "default")`},
	"coalescelist":    {`coalescelist([], ["a"])`, "The first list that is not empty."},
	"compact":         {`compact(["a", "", "b"])`, "A list of texts without the empty ones."},
	"concat":          {`concat(["a"], ["b", "c"])`, "One list of the elements of several."},
	"contains":        {`contains(["debian", "ubuntu"], "debian")`, "Whether a list or set has an element."},
	"dirname":         {text: `dirname("/etc/motd")`},
	"distinct":        {`distinct(["a", "b", "a"])`, "A list without the elements that it had before."},
	"element":         {`element(["a", "b"], 3)`, "An element of a list by its number; after the last one it begins again."},
	"endswith":        {text: `endswith("site.conf", ".conf")`},
	"file":            {text: `file("motd")`},
	"filebase64":      {text: `filebase64("motd")`},
	"fileexists":      {text: `fileexists("missing")`},
	"fileset":         {text: `fileset(".", "*.conf")`},
	"filesha256":      {text: `filesha256("motd")`},
	"firstfound":      {text: `firstfound("Debian-12.conf", "Debian.conf")`},
	"flatten":         {`flatten([["a"], ["b", ["c"]]])`, "A list whose inner lists are replaced by their elements."},
	"fold":            {text: `fold("A long text\nin lines.\n\nA new line.\n")`},
	"floor":           {`floor(1.8)`, "The next whole number that is not larger."},
	"format":          {`format("%03d-%s", 7, "web")`, "A text made of a pattern and values, with verbs such as %s, %d, %03d, %q and %v."},
	"formatlist":      {`formatlist("%s:8080", ["web1", "web2"])`, "A text made of a pattern for each element of lists."},
	"indent":          {`indent(2, "a\nb")`, "A text whose lines but the first begin with so many spaces."},
	"issensitive":     {text: `issensitive("public")`},
	"join":            {`join(", ", ["a", "b"])`, "One text of several, with a text between them."},
	"jsondecode":      {`jsondecode("{\"port\": 80}")`, "The value of a text in JSON."},
	"jsonencode":      {`jsonencode({ port = 80 })`, "A value as a text in JSON."},
	"keys":            {`keys({ b = 1, a = 2 })`, "The names of a map or object, sorted."},
	"length":          {text: `length(["a", "b"])`},
	"lookup":          {text: `lookup({ a = 80 }, "b", 8080)`},
	"lower":           {`lower("Kinit")`, "A text in lower case."},
	"max":             {`max(1, 3, 2)`, "The largest number."},
	"md5":             {text: `md5("kinit")`},
	"merge":           {`merge({ a = 1, b = 2 }, { b = 3 })`, "One map or object of several; of values with one name, the last counts."},
	"min":             {`min(1, 3, 2)`, "The smallest number."},
	"nonsensitive":    {text: `nonsensitive(sensitive("public"))`},
	"one":             {text: `one(["only"])`},
	"parseint":        {`parseint("ff", 16)`, "The number that a text means in a base."},
	"pathexpand":      {text: `pathexpand("~/.ssh")`},
	"pow":             {`pow(2, 10)`, "A number to the power of another."},
	"range":           {`range(1, 4)`, "The numbers from 0 or a start up to a limit, which is not among them, by 1 or another step."},
	"regex":           {`regex("(?P<major>\\d+)\\.(?P<minor>\\d+)", "v1.28.3")`, "The first match of a regular expression: a text; with groups, a list or, if they have names, an object of their texts. Without a match it is an error. Look-ahead, look-behind and references to groups are known."},
	"regexall":        {`regexall("[a-z]+", "a1b2")`, "A list of all matches of a regular expression, each as for regex."},
	"replace":         {text: `replace("port 80", "/[0-9]+/", "8080")`},
	"reverse":         {`reverse([1, 2, 3])`, "A list from its end to its beginning."},
	"sensitive":       {text: `issensitive(sensitive("hunter2"))`},
	"setintersection": {`setintersection(["a", "b"], ["b", "c"])`, "What all sets have in common."},
	"setproduct":      {`setproduct(["web1", "web2"], ["shop"])`, "All combinations of an element of each list or set."},
	"setsubtract":     {`setsubtract(["a", "b"], ["b"])`, "The elements of the first set that the second does not have."},
	"setunion":        {`setunion(["a"], ["b"])`, "The elements that one of the sets has."},
	"sha1":            {text: `sha1("kinit")`},
	"sha256":          {text: `sha256("kinit")`},
	"sha512":          {text: `sha512("kinit")`},
	"slice":           {`slice(["a", "b", "c"], 1, 3)`, "The elements of a list from one number up to another, which is not among them."},
	"sort":            {`sort(["b", "a"])`, "A list of texts in their order."},
	"split":           {`split(",", "a,b")`, "The parts of a text between separators."},
	"startswith":      {text: `startswith("web1", "web")`},
	"strcontains":     {text: `strcontains("Debian 12", "12")`},
	"stretch":         {text: `stretch("3m", 2)`},
	"strrev":          {`strrev("abc")`, "A text from its end to its beginning."},
	"substr":          {`substr("kinit", 0, 3)`, "A part of a text from a place, of so many letters; a length of -1 means up to the end."},
	"sum":             {text: `sum([1, 2.5])`},
	"templatefile":    {text: `templatefile("site.tmpl", { port = 80 })`},
	"title":           {`title("hello world")`, "A text in which each word begins with a capital letter."},
	"tobool":          {`tobool("true")`, "The value as true or false."},
	"tolist":          {`tolist(["a", "b"])`, "The value as a list."},
	"tomap":           {`tomap({ a = "1" })`, "The value as a map."},
	"tonumber":        {`tonumber("80")`, "The value as a number."},
	"toset":           {`toset(["b", "a", "b"])`, "The value as a set, which has each element once."},
	"tostring":        {`tostring(80)`, "The value as a text."},
	"trim":            {`trim("--a--", "-")`, "A text without the letters of another one at both ends."},
	"trimprefix":      {`trimprefix("v1.28", "v")`, "A text without another one at its beginning."},
	"trimspace":       {`trimspace(" a\n")`, "A text without white space at both ends."},
	"trimsuffix":      {`trimsuffix("site.conf", ".conf")`, "A text without another one at its end."},
	"try":             {`try(tonumber("many"), 80)`, "The value of the first expression that is no error."},
	"upper":           {`upper("kinit")`, "A text in upper case."},
	"urlencode":       {text: `urlencode("a b&c")`},
	"uuidv5":          {text: `uuidv5("dns", "example.org")`},
	"values":          {`values({ b = 1, a = 2 })`, "The values of a map or object, in the order of their names."},
	"versioncompare":  {text: `versioncompare("1.9.0", "1.10.0")`},
	"versionmatches":  {text: `versionmatches("1.28.3", ">= 1.27, < 1.29")`},
	"yamldecode":      {`yamldecode("port: 80")`, "The value of a text in YAML."},
	"yamlencode":      {`yamlencode({ port = 80 })`, "A value as a text in YAML."},
	"zipmap":          {`zipmap(["a", "b"], [1, 2])`, "A map of a list of names and a list of values."},
}

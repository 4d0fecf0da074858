package main

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/modules"
)

// A canary is a secret that nothing else looks like. Each comes into a playbook in one
// of the types of canarySources, goes through one of canaryFunctions, and is given to
// tasks, checks and outputs. Afterwards every sink is searched for it in every encoding.

// everyCanary names the variable of the environment that asks for all combinations.
const everyCanary = "KINIT_EVERY_FAULT"

// canarySource is a way in which a secret gets into a playbook.
type canarySource struct {
	name string
	word string // the text that comes of it
	expr string // in the playbook
	give any    // the value of the variable "given"
}

// odd is a word that no other text has.
func odd(n int) string { return fmt.Sprintf("Kq%02d'w<é&\"%%${x}/+Zß", n) }

func canarySources() []canarySource {
	const key = "-----BEGIN KEY-----\nMIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0waw\nq7ZxWvIuTgBn0aPqLs8\n-----END KEY-----"
	return []canarySource{
		{"text", odd(1), "var.given", odd(1)},
		{"number", "90417330551", "tostring(var.given)", 90417330551},
		{"list", odd(3), "var.given[1]", []string{odd(20), odd(3)}},
		{"set", odd(4), "tolist(toset(var.given))[0]", []string{odd(4)}},
		{"map", odd(5), `var.given["k"]`, map[string]string{"k": odd(5)}},
		{"key of a map", odd(6), "keys(var.given)[0]", map[string]string{odd(6): odd(21)}},
		{"nested object", odd(7), "var.given.a.b[0].c", map[string]any{"a": map[string]any{"b": []any{map[string]any{"c": odd(7)}}}}},
		{"JSON", odd(8), "jsondecode(var.given).password", `{"user":"deploy","password":` + quoted(odd(8)) + `}`},
		{"short part of JSON", "ßǾ", "jsondecode(var.given).pin", `{"user":"deploy","pin":"ßǾ"}`},
		{"number in JSON", "7305518", "tostring(jsondecode(var.given).pin)", `{"user":"deploy","pin":7305518}`},
		{"YAML", odd(9), "yamldecode(var.given).a[1]", "a:\n  - first\n  - " + quoted(odd(9)) + "\n"},
		{"base64", odd(10), "base64decode(var.given)", base64.StdEncoding.EncodeToString([]byte(odd(10)))},
		{"part of a URL", "Xk3-tok~en9fQz", `regex("//([^:]+):([^@]+)@", var.given)[1]`, "postgres://app:Xk3-tok~en9fQz@database/orders"},
		{"part of a line", "Vb8_rGm5pTs2", `split(" ", var.given)[2]`, "login app Vb8_rGm5pTs2"},
		{"local", odd(13), "local.passed", odd(13)},
		{"import", odd(14), "import.inner.out", odd(14)},
		{"module", odd(15), "task.command.gives.stdout", odd(15)},
		{"key", key, "var.given", key},
		{"function", odd(17), `sensitive(base64decode("` + base64.StdEncoding.EncodeToString([]byte(odd(17))) + `"))`, odd(22)},
	}
}

func quoted(text string) string {
	b, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// canaryFunctions are expressions of text over X.
func canaryFunctions() []string {
	return []string{
		`X`, `upper(X)`, `jsonencode({ a = X })`, `"pre ${X} post"`, `templatefile("page.tmpl", { v = X })`, `substr(X, 0, 6)`, `sha256(X)`, `base64encode(X)`,
		`{ for k in ["a"] : k => X }.a`, `X == "" ? "a" : X`, `jsondecode(jsonencode({ a = X })).a`, `strrev(X)`,
		`lower(X)`, `title(X)`, `urlencode(X)`, `yamlencode({ a = X })`, `md5(X)`, `sha1(X)`, `sha512(X)`, `uuidv5("dns", X)`,
		`format("<%s>", X)`, `formatlist("%s-", [X])[0]`, `join("+", ["a", X])`, `replace(X, "K", "__")`, `replace(X, "/[0-9]/", "#")`, `trimspace(" ${X} ")`,
		`trimprefix(X, "K")`, `trimsuffix(X, "ß")`, `trim(X, "K")`, `chomp("${X}\n")`, `indent(2, X)`, `"%{ if true }${X}%{ endif }"`, `"%{ for w in [X] }${w};%{ endfor }"`,
		`try(X, "")`, `can(X) ? X : ""`, `coalesce("", X)`, `coalescelist([], [X])[0]`, `lookup({ k = X }, "k", "")`, `{ k = X }.k`, `{ k = X }["k"]`, `[X][0]`, `element([X], 0)`, `one([X])`,
		`values({ k = X })[0]`, `keys({ (X) = 1 })[0]`, `merge({ a = 1 }, { k = X }).k`, `concat(["a"], [X])[1]`, `flatten([[X]])[0]`, `reverse(["a", X])[0]`, `[for w in [X] : w][0]`, `([{ v = X }][*].v)[0]`,
		`sort([X])[0]`, `distinct([X])[0]`, `compact([X])[0]`, `tolist([X])[0]`, `tolist(toset([X]))[0]`, `tomap({ a = X }).a`, `zipmap(["a"], [X]).a`, `chunklist([X], 1)[0][0]`, `slice(["a", X], 1, 2)[0]`,
		`tolist(setunion([X], []))[0]`, `tolist(setproduct([X], ["b"]))[0][0]`, `regex("(?s).+", X)`, `regexall("(?s).+", X)[0]`, `split("/", X)[0]`, `base64decode(base64encode(X))`,
		`tostring(X)`, `basename("/a/${urlencode(X)}")`, `tostring(length(X) * 7305518)`, `tostring(contains([X], "a")) == "x" ? "a" : X`,
	}
}

// canaryEncodings are the ways in which a sink may have a text.
func canaryEncodings(text string) map[string]string {
	q := quoted(text)
	return map[string]string{
		"as it is": text, "base64": base64.StdEncoding.EncodeToString([]byte(text)), "base64 of URLs": base64.RawURLEncoding.EncodeToString([]byte(text)),
		"hexadecimal": hex.EncodeToString([]byte(text)), "query": url.QueryEscape(text), "path": url.PathEscape(text), "JSON": q[1 : len(q)-1], "HTML": html.EscapeString(text),
	}
}

// canaryPlaybook gives each expression to what shows things.
func canaryPlaybook(source canarySource, exprs []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "variable \"given\" {\n  type      = any\n  sensitive = %v\n}\nlocals {\n  passed = var.given\n}\n", source.name != "function")
	b.WriteString("import \"inner\" {\n  source = \"./inner\"\n  inputs = { word = var.given }\n}\n")
	b.WriteString(canaryTask(source))
	for i, expr := range exprs {
		fmt.Fprintf(&b, `
task "copy" "c%[1]d" {
  dest    = "${path.cwd}/copy-%[1]d"
  content = %[2]s
  mode    = "0644"
}
task "block_in_file" "b%[1]d" {
  path   = "${path.cwd}/block-%[1]d"
  block  = %[2]s
  create = true
}
task "line_in_file" "l%[1]d" {
  path   = "${path.cwd}/line-%[1]d"
  line   = replace("<${%[2]s}>", "\n", " ")
  create = true
}
task "debug" "m%[1]d" { message = %[2]s }
task "debug" "v%[1]d" { value = { deep = [%[2]s] } }
task "command" "says%[1]d" {
  argv      = ["sh", "-c", "printf %%s \"$0\"; printf %%s \"$0\" >&2", %[2]s]
  read_only = true
}
task "command" "fails%[1]d" {
  argv = ["sh", "-c", "printf %%s \"$0\"; printf %%s \"$0\" >&2; exit 3", %[2]s]
}
output "o%[1]d" {
  value     = { v = %[2]s }
  sensitive = true
}
output "s%[1]d" {
  value     = task.command.says%[1]d.stdout
  sensitive = true
}
`, i, expr)
	}
	return b.String()
}

// canaryChecks are checks that fail with each expression in their message.
func canaryChecks(exprs []string) string {
	var b strings.Builder
	for i, expr := range exprs {
		fmt.Fprintf(&b, `check "c%[1]d" {
  assert {
    condition     = false
    error_message = "It is ${%[2]s}."
  }
}
`, i, expr)
	}
	return b.String()
}

// canaryTask returns the secret from a task.
func canaryTask(source canarySource) string {
	if source.name != "module" {
		return ""
	}
	return "task \"command\" \"gives\" {\n  argv      = [\"printf\", \"%s\", var.given]\n  read_only = true\n  sensitive = true\n}\n"
}

// TestNoCanaryIsFound counts each combination of a type, a function, an encoding and a
// sink.
func TestNoCanaryIsFound(t *testing.T) {
	t.Parallel()
	sources, functions := canarySources(), canaryFunctions()
	if os.Getenv(everyCanary) == "" {
		functions = functions[:12]
		sources = []canarySource{sources[0], sources[1], sources[7], sources[8], sources[16]}
	}
	tried := 0
	for _, source := range sources {
		n := canaryRun(t, source, functions)
		if n == 0 {
			t.Errorf("%s: nothing was searched", source.name)
		}
		tried += n
	}
	t.Logf("%d combinations of %d types with %d functions, each encoding and each sink", tried, len(sources), len(functions))
	if os.Getenv(everyCanary) != "" && tried < 20_000 {
		t.Errorf("%d combinations were tried, want 20000", tried)
	}
}

// giveCanaries writes what the playbooks of a source read, and returns its functions as
// expressions.
func giveCanaries(t *testing.T, dir string, source canarySource, functions []string) []string {
	t.Helper()
	put(t, dir, "inner/main.hcl", "variable \"word\" {}\noutput \"out\" { value = var.word }\n")
	put(t, dir, "page.tmpl", "value = ${v}\n")
	given, err := json.Marshal(map[string]any{"given": source.give})
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "given.json", string(given))
	exprs := make([]string, len(functions))
	for i, f := range functions {
		exprs[i] = strings.ReplaceAll(f, "X", source.expr)
	}
	return exprs
}

// canaryRun runs a playbook with all functions of one source, and returns how many
// combinations were looked for.
func canaryRun(t *testing.T, source canarySource, functions []string) int {
	t.Helper()
	p := newProgram(t, "run", "site.hcl", "--var-file", "given.json", "--junit", "out.xml", "--report", "out.html", "-v")
	p.Engine.Run, p.Engine.Plan, p.Kinds = engine.Run, engine.Plan, modules.All
	exprs := giveCanaries(t, p.Cwd, source, functions)
	put(t, p.Cwd, "site.hcl", canaryPlaybook(source, exprs)+canaryChecks(exprs))
	put(t, p.Cwd, "planned.hcl", canaryPlaybook(source, exprs))

	if code := p.run(); code != exit.Failed {
		t.Fatalf("%s: exit code %d\n%s%s", source.name, code, p.out.String(), p.err.String())
	}
	sinks := map[string]string{"standard output": p.out.String(), "standard error": p.err.String()}
	for _, name := range []string{"out.xml", "out.html"} {
		sinks[name] = readFile(t, filepath.Join(p.Cwd, name))
	}
	sinks["log"] = strings.Join(readLog(t, p), "\n")
	again := func(name string, stdin string, args ...string) {
		p.out.Reset()
		p.err.Reset()
		a := p.App
		a.Args, a.In = append([]string{"kinit"}, args...), strings.NewReader(stdin)
		run(a)
		sinks[name] = p.out.String() + p.err.String()
	}
	again("bundle", "", "logs", "site.hcl", "--out", "all.tar.gz")
	for _, content := range unpack(t, filepath.Join(p.Cwd, "all.tar.gz")) {
		sinks["bundle"] += content
	}
	again("stream of events", "", "run", "site.hcl", "--var-file", "given.json", "--output", "json")
	again("repl", strings.Join(exprs, "\n")+"\n", "repl", "site.hcl", "--var-file", "given.json")
	for i := range exprs { // so that something is left to plan
		if err := os.Remove(filepath.Join(p.Cwd, fmt.Sprintf("copy-%d", i))); err != nil {
			t.Fatalf("%s through %s did not arrive: %v", source.name, functions[i], err)
		}
		for _, name := range []string{"line", "block"} {
			if err := os.WriteFile(filepath.Join(p.Cwd, fmt.Sprintf("%s-%d", name, i)), []byte("other\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	again("plan with diffs", "", "plan", "site.hcl", "--var-file", "given.json", "--diff")
	again("saved plan", "", "plan", "planned.hcl", "--var-file", "given.json", "--out", "site.plan")
	sinks["saved plan"] += readFile(t, filepath.Join(p.Cwd, "site.plan"))
	tried := 0
	for i, f := range functions {
		value := plainValue(t, p.Cwd, f, source.word)
		if len(value) < 4 {
			continue // not to be told from other text
		}
		for encoding, text := range canaryEncodings(value) {
			for sink, content := range sinks {
				tried++
				if at := place(content, text); at >= 0 {
					t.Errorf("%s through %s (task %d) is in %s, %s: %s", source.name, f, i, sink, encoding, around(content, text, at))
				}
			}
		}
	}
	for sink, content := range sinks {
		early := !strings.HasPrefix(source.expr, "task.") && !strings.HasPrefix(source.expr, "import.")
		if !strings.Contains(content, engine.Hidden) && (sink != "repl" || early) {
			t.Errorf("%s: %s says of nothing that it is sensitive", source.name, sink)
		}
	}
	return tried
}

// place is where a text is in another, -1 for nowhere. A few digits must be a whole number
// there: the nanoseconds of some time have any six digits in them.
func place(content, text string) int {
	if len(text) >= 9 || strings.Trim(text, "0123456789") != "" {
		return strings.Index(content, text)
	}
	digit := func(i int) bool { return i >= 0 && i < len(content) && content[i] >= '0' && content[i] <= '9' }
	for from := 0; ; {
		i := strings.Index(content[from:], text)
		if i < 0 {
			return -1
		}
		if at := from + i; !digit(at-1) && !digit(at+len(text)) {
			return at
		}
		from += i + 1
	}
}

// around is what surrounds a text in another.
func around(content, text string, at int) string {
	return content[max(0, at-80):min(len(content), at+len(text)+20)]
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	file := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// plainValue is what a function makes of a word that is no secret.
func plainValue(t *testing.T, dir, function, word string) string {
	t.Helper()
	put(t, dir, "open.hcl", "variable \"word\" {}\n")
	scope, report := engine.Open(t.Context(), engine.Options{Inputs: engine.Inputs{Spec: "open.hcl", Cwd: dir, Vars: map[string]string{"word": word}}})
	if report.Invalid {
		t.Fatal(report.Diagnostics)
	}
	shown, diags := scope.Eval("tostring(" + strings.ReplaceAll(function, "X", "var.word") + ")")
	if len(diags) > 0 {
		t.Fatalf("%s: %v", function, diags)
	}
	expr, problems := hclsyntax.ParseExpression([]byte(shown), "shown", hcl.InitialPos)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	value, problems := expr.Value(nil)
	if problems.HasErrors() {
		t.Fatal(problems)
	}
	return value.AsString()
}

// canaryForms are what programs on a host may print of a secret.
func canaryForms(word string) map[string]string {
	encode := base64.StdEncoding.EncodeToString
	digits, escaped := hex.EncodeToString([]byte(word)), quoted(word)
	forms := map[string]string{
		"as it is": word, "upper case": strings.ToUpper(word), "lower case": strings.ToLower(word),
		"base64": encode([]byte(word)), "base64 of URLs": base64.URLEncoding.EncodeToString([]byte(word)), "base64 without padding": base64.RawStdEncoding.EncodeToString([]byte(word)),
		"base64 twice": encode([]byte(encode([]byte(word)))), "hexadecimal": digits, "upper hexadecimal": strings.ToUpper(digits),
		"query": url.QueryEscape(word), "path": url.PathEscape(word), "user of a URL": url.UserPassword("", word).String()[1:], "small escapes": regexp.MustCompile("%..").ReplaceAllStringFunc(url.QueryEscape(word), strings.ToLower),
		"JSON": escaped[1 : len(escaped)-1], "HTML": html.EscapeString(word), "XML": strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;").Replace(word),
		"quoted by a shell": strings.ReplaceAll(word, "'", `'\''`), "in double quotes": strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(word),
		"quoted by PowerShell and YAML": strings.ReplaceAll(word, "'", "''"),
		"HCL":                           strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "${", "$${", "%{", "%%{").Replace(word),
	}
	for before := range 3 {
		inside := encode([]byte(strings.Repeat("u", before) + word))
		from := (before*8 + 5) / 6
		forms[fmt.Sprintf("inside base64 after %d", before)] = inside[from : (before+len(word))*8/6]
	}
	return forms
}

// TestNoEncodingOfACanaryIsFound lets a program print secrets in every form. Such output
// carries no mark, so only its text shows that it is a secret.
func TestNoEncodingOfACanaryIsFound(t *testing.T) {
	t.Parallel()
	sources := canarySources()
	if os.Getenv(everyCanary) == "" {
		sources = sources[:3]
	}
	tried := 0
	for _, source := range sources {
		if len(source.word) < 5 || source.name == "function" || source.name == "local" {
			continue // it cannot be masked, or comes to be known only where it is used
		}
		var b strings.Builder
		fmt.Fprintf(&b, "variable \"given\" {\n  type      = any\n  sensitive = true\n}\nvariable \"printed\" {\n  type = map(string)\n}\n")
		fmt.Fprintf(&b, "import \"inner\" {\n  source = \"./inner\"\n  inputs = { word = var.given }\n}\n")
		b.WriteString(canaryTask(source))
		fmt.Fprintf(&b, "task \"command\" \"knows\" {\n  argv = [\"true\"]\n  env  = { WORD = %s }\n}\n", source.expr)
		b.WriteString(`
task "command" "prints" {
  for_each   = var.printed
  argv       = ["sh", "-c", "printf '%s\n' \"$TEXT\"; printf '%s\n' \"$TEXT\" >&2; exit 3"]
  env        = { TEXT = each.value }
  depends_on = [task.command.knows]
}
task "command" "tells" {
  for_each   = var.printed
  argv       = ["printf", "%s", each.value]
  read_only  = true
  depends_on = [task.command.knows]
}
`)
		p := newProgram(t, "run", "site.hcl", "--var-file", "given.json", "--junit", "out.xml", "--report", "out.html", "-v")
		p.Engine.Run, p.Kinds = engine.Run, modules.All
		put(t, p.Cwd, "site.hcl", b.String())
		put(t, p.Cwd, "inner/main.hcl", "variable \"word\" {}\noutput \"out\" { value = var.word }\n")
		forms := canaryForms(source.word)
		given, err := json.Marshal(map[string]any{"given": source.give, "printed": forms})
		if err != nil {
			t.Fatal(err)
		}
		put(t, p.Cwd, "given.json", string(given))
		if code := p.run(); code != exit.Failed {
			t.Fatalf("%s: exit code %d\n%s%s", source.name, code, p.out.String(), p.err.String())
		}
		sinks := map[string]string{"standard output": p.out.String(), "standard error": p.err.String(), "log": strings.Join(readLog(t, p), "\n")}
		for _, name := range []string{"out.xml", "out.html"} {
			sinks[name] = readFile(t, filepath.Join(p.Cwd, name))
		}
		for sink, content := range sinks {
			for form, text := range forms {
				for encoding, text := range canaryEncodings(text) {
					tried++
					if at := place(content, text); at >= 0 {
						t.Errorf("%s as %s is in %s, %s: %s", source.name, form, sink, encoding, around(content, text, at))
					}
				}
			}
		}
	}
	t.Logf("%d combinations", tried)
}

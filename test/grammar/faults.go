package grammar

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// use is something of PowerShell or .NET that a script uses: parse.mjs.
type use struct {
	Name      string     `json:"name"`
	Line      int        `json:"line"`
	Column    int        `json:"column"`
	Use       string     `json:"use"`
	Command   string     `json:"command"`
	Arguments []argument `json:"arguments"`
	Splat     []string   `json:"splat"`
	Names     []string   `json:"parameters"`
	Keys      []string   `json:"keys"`
	Type      string     `json:"type"`
	Member    string     `json:"member"`
	Count     int        `json:"count"`
	Values    []string   `json:"values"`
	Variable  string     `json:"variable"`
	Text      string     `json:"text"`
	Operator  string     `json:"operator"`
}

// argument is one of a command; without a parameter, it is one by position.
type argument struct {
	Parameter string   `json:"parameter"`
	Bound     bool     `json:"bound"`  // by a colon
	Values    []string `json:"values"` // what is known of its value
}

// checker holds one script against the lists.
type checker struct {
	*lists
	functions map[string][]string // those that scripts define, with their parameters
	tables    map[string][]string // the keys of the last table in a variable
	types     map[string]bool     // those that the script compiles
	asked     map[string]bool     // commands that the script looks for, with Get-Command, before it uses them
	found     []Problem
	at        use
}

func (c *checker) problem(kind, format string, args ...any) {
	c.found = append(c.found, Problem{Name: c.at.Name, Line: c.at.Line, Column: c.at.Column, Kind: kind, Text: fmt.Sprintf(format, args...)})
}

// faults returns what of a script's uses Windows PowerShell 5.1 would refuse. The functions of other scripts
// that are sent with it are known.
func (l *lists) faults(uses []use, functions map[string][]string) []Problem {
	c := &checker{lists: l, functions: map[string][]string{}, tables: map[string][]string{}, types: map[string]bool{}, asked: map[string]bool{}}
	maps.Copy(c.functions, functions)
	for _, u := range uses {
		c.define(u)
	}
	for _, c.at = range uses {
		c.check(c.at)
	}
	return c.found
}

// define notes what a script itself defines.
func (c *checker) define(u use) {
	switch {
	case u.Use == "function":
		c.functions[strings.ToLower(u.Command)] = u.Names
	case u.Use == "command" && strings.EqualFold(u.Command, "Get-Command"):
		c.asked[strings.ToLower(value(u, "Name"))] = true
	case u.Use == "command" && strings.EqualFold(u.Command, "Add-Type"):
		name := value(u, "Name")
		if space := value(u, "Namespace"); space != "" {
			name = space + "." + name
		}
		c.types[strings.ToLower(name)] = true
	}
}

// value is that of a command's parameter; empty if it is not a constant.
func value(u use, name string) string {
	for _, a := range u.Arguments {
		if strings.EqualFold(a.Parameter, name) && len(a.Values) == 1 {
			return a.Values[0]
		}
	}
	return ""
}

func (c *checker) check(u use) {
	switch u.Use {
	case "command":
		c.command(u)
	case "table":
		c.tables[strings.ToLower(u.Variable)] = u.Keys
	case "type":
		c.typeName(u.Type)
	case "attribute":
		if _, ok := c.find(u.Type + "Attribute"); !ok {
			c.typeName(u.Type)
		}
	case "cast":
		c.cast(u)
	case "static":
		c.static(u)
	case "method":
		if counts := c.methods[strings.ToLower(u.Member)]; !slices.Contains(counts, u.Count) && !slices.Contains(adapted(), strings.ToLower(u.Member)) {
			c.problem("METHOD", "no type has %s with %d arguments", u.Member, u.Count)
		}
	case "variable":
		if slices.Contains(newVariables(), strings.ToLower(u.Variable)) {
			c.problem("POWERSHELL 7", "the variable %s", u.Variable)
		}
	case "text":
		if escape := newEscape.FindStringSubmatch(u.Text); escape != nil {
			c.problem("POWERSHELL 7", "the escape %s", escape[1])
		}
	case "chain":
		c.problem("POWERSHELL 7", "the operator %s", u.Operator)
	}
}

// newEscape finds an escape that only PowerShell 7 knows. Pairs of backticks come before it.
var newEscape = regexp.MustCompile("^(?:[^`]|`[^eu]|`u[^{])*?(`e|`u\\{)")

// newVariables are the automatic variables that PowerShell 5.1 does not have.
func newVariables() []string {
	return []string{"$iswindows", "$islinux", "$ismacos", "$iscoreclr", "$psstyle", "$psnativecommandargumentpassing", "$psnativecommanduseerroractionpreference", "$errorview7", "$enabledexperimentalfeatures"}
}

// adapted are methods that PowerShell itself adds to every object.
func adapted() []string {
	return []string{
		"foreach", "where",
	}
}

// program reports whether a command is a program, not one of PowerShell.
func program(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".exe") || strings.ContainsAny(name, `\/:`)
}

var isRange = regexp.MustCompile(`^\d+\.\.\d+$`)

// ofHNS are commands of the module HostNetworkingService, which comes with the service hns. Microsoft documents the module
// for Server 2025 only; Server 2019 and 2022 have it with that service too.
func ofHNS(name string) bool { return name == "get-hnsnetwork" || name == "get-hnsendpoint" }

func (c *checker) command(u use) {
	lower := strings.ToLower(u.Command)
	if u.Command == "" || program(u.Command) {
		return
	}
	if names, ok := c.functions[lower]; ok {
		c.function(u, names)
		return
	}
	known, ok := c.commands[lower]
	if !ok && (c.asked[lower] || ofHNS(lower)) {
		known, ok = c.some[lower]
	}
	switch {
	case isNumber(u.Command), isRange.MatchString(u.Command):
		return // the grammar takes some numbers at the beginning of a pipeline for commands
	case lower == "clean":
		c.problem("POWERSHELL 7", "the block clean")
		return
	case !ok:
		c.problem("COMMAND", "%s is unknown", u.Command)
		return
	}
	for _, a := range u.Arguments {
		if a.Parameter != "" {
			c.argument(u.Command, known, a)
		}
	}
	for _, variable := range u.Splat {
		for _, key := range c.tables[strings.ToLower(variable)] {
			c.argument(u.Command, known, argument{Parameter: key})
		}
	}
	if lower == "new-object" {
		c.newObject(u)
	}
}

// function checks a call of a function: its parameters have their whole names.
func (c *checker) function(u use, names []string) {
	for _, a := range u.Arguments {
		known := slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, a.Parameter) })
		if a.Parameter != "" && !known && common()[strings.ToLower(a.Parameter)].name == "" {
			c.problem("PARAMETER", "the function %s has no -%s", u.Command, a.Parameter)
		}
	}
}

// argument checks a parameter and what is known of its value.
func (c *checker) argument(command string, known map[string]parameter, a argument) {
	lower := strings.ToLower(a.Parameter)
	if slices.Contains(dynamic()[strings.ToLower(command)], lower) {
		return
	}
	p, ok := known[lower]
	if !ok {
		p, ok = common()[lower]
	}
	if !ok {
		for name, whole := range known {
			if strings.HasPrefix(name, lower) {
				c.problem("PARAMETER", "%s -%s is an abbreviation, as of -%s", command, a.Parameter, whole.name)
				return
			}
		}
		c.problem("PARAMETER", "%s has no -%s", command, a.Parameter)
		return
	}
	if p.missing != "" {
		c.problem("PARAMETER", "%s -%s is missing in %s", command, p.name, p.missing)
	}
	if p.of == "switch" && !a.Bound {
		return // what follows is another argument
	}
	for _, value := range a.Values {
		c.value(command, p, value)
	}
}

// value checks a constant that a parameter gets.
func (c *checker) value(command string, p parameter, value string) {
	of := strings.ToLower(strings.TrimSuffix(p.of, "[]"))
	if p.values != nil && !slices.ContainsFunc(p.values, func(v string) bool { return strings.EqualFold(v, value) }) && !isNumber(value) {
		c.problem("VALUE", "%s -%s does not accept %s, but %s", command, p.name, value, strings.Join(p.values, ", "))
	}
	if slices.Contains([]string{"int", "int32", "uint32", "uint16", "uint64", "long", "int64", "byte", "double"}, of) && !isNumber(value) {
		c.problem("VALUE", "%s -%s is a number and not %s", command, p.name, value)
	}
	if m, ok := c.find(of); ok && p.values == nil {
		c.enumerated(p.of, m, value)
	}
}

var number = regexp.MustCompile(`^[+-]?(0x[0-9a-fA-F]+|[0-9.]+(e[0-9]+)?)[lLdD]?([kmgtpKMGTP][bB])?$`)

func isNumber(text string) bool { return number.MatchString(text) }

// enumerated checks a text that becomes a value of an enumeration.
func (c *checker) enumerated(name string, m members, text string) {
	if !m.enumeration() {
		return
	}
	for _, part := range strings.Split(text, ",") {
		part = strings.TrimSpace(part)
		if counts := m.static[strings.ToLower(part)]; !slices.Contains(counts, -1) && !isNumber(part) {
			c.problem("VALUE", "%s has no value %s", name, part)
		}
	}
}

// newObject checks the type of New-Object, which is a text.
func (c *checker) newObject(u use) {
	name, count := value(u, "TypeName"), -1
	for _, a := range u.Arguments {
		if a.Parameter == "" && name == "" && len(a.Values) == 1 {
			name = a.Values[0]
			break
		}
		if strings.EqualFold(a.Parameter, "ComObject") {
			return
		}
	}
	if len(u.Arguments) == 1 {
		count = 0
	}
	if name == "" || !c.typeName(name) || count < 0 || strings.HasSuffix(name, "]") {
		return
	}
	if m, ok := c.find(name); ok && !slices.Contains(m.static["new"], count) {
		c.problem("MEMBER", "[%s] has no constructor without arguments", name)
	}
}

func (c *checker) cast(u use) {
	if m, ok := c.find(u.Type); ok && len(u.Values) == 1 {
		c.enumerated(u.Type, m, u.Values[0])
	}
}

func (c *checker) static(u use) {
	m, ok := c.find(u.Type)
	if strings.HasSuffix(u.Type, "]") && !strings.HasSuffix(u.Type, "[]") && ok {
		return // a generic type: the list has its parts by number
	}
	if strings.HasSuffix(u.Type, "[]") {
		if !strings.EqualFold(u.Member, "new") || u.Count != 1 {
			c.problem("MEMBER", "[%s] has no static member %s with %d arguments", u.Type, u.Member, u.Count)
		}
		return
	}
	if !ok {
		return // the type itself is a problem, or the script compiles it
	}
	counts := m.static[strings.ToLower(u.Member)]
	switch {
	case counts == nil:
		c.problem("MEMBER", "[%s] has no static member %s", u.Type, u.Member)
	case !slices.Contains(counts, u.Count):
		c.problem("MEMBER", "[%s]::%s is %s and not %s", u.Type, u.Member, shapes(counts), shapes([]int{u.Count}))
	}
}

// shapes are how members are used, by how many arguments they take.
func shapes(counts []int) string {
	texts := make([]string, len(counts))
	for i, n := range counts {
		texts[i] = fmt.Sprintf("a method with %d arguments", n)
		if n < 0 {
			texts[i] = "a property"
		}
	}
	return strings.Join(texts, ", ")
}

// typeName reports whether a type is known, and a problem if it is not.
func (c *checker) typeName(name string) bool {
	if _, ok := c.find(name); ok || c.types[strings.ToLower(name)] {
		return true
	}
	c.problem("TYPE", "[%s] is unknown", name)
	return false
}

// find looks a type up: with its whole name, an abbreviation of PowerShell's, or without "System". Of an array it is
// the type of the elements, of a generic type the type without its arguments.
func (c *checker) find(name string) (members, bool) {
	name = strings.ToLower(strings.ReplaceAll(name, "[]", ""))
	if base, arguments, generic := strings.Cut(name, "["); generic {
		name = base + "`" + strconv.Itoa(strings.Count(arguments, ",")+1)
	}
	if whole, ok := shortTypes()[name]; ok {
		name = strings.ToLower(whole)
	}
	for _, prefix := range []string{"", "system.", "system.management.automation."} {
		if m, ok := c.lists.types[prefix+name]; ok {
			return m, true
		}
	}
	return members{}, false
}

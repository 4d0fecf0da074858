package wine

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// command is the record of a command of Windows PowerShell 5.1.
type command struct {
	Name       string
	Parameters map[string]string   // their types
	Values     map[string][]string // of parameters whose type is an enumeration
}

// Types of parameters that PowerShell 7 has too, by how they are recorded.
var kept = map[string]string{"securestring": "securestring", "securityidentifier": "Security.Principal.SecurityIdentifier"}

// piped are the parameters that take the pipeline's objects, which the record does not say.
var piped = []string{"InputObject", "AssociatedNetFirewallRule"}

// stubs is a module for PowerShell with the commands that Wine lacks. It takes exactly the recorded parameters:
// another one is an error, and so is a value that an enumeration lacks.
func stubs(t *testing.T) string {
	t.Helper()
	behaviour, err := os.ReadFile("testdata/behaviour.psm1")
	must(t, err)
	record, err := os.ReadFile("testdata/commands.jsonl")
	must(t, err)
	enums := map[string][]string{}
	var functions strings.Builder
	for line := range strings.Lines(string(record)) {
		var c command
		must(t, json.Unmarshal([]byte(line), &c))
		for parameter, recorded := range c.Parameters {
			if values := c.Values[parameter]; values != nil {
				enums[element(recorded)] = values
			}
		}
		fmt.Fprintf(&functions, "function %s {\n[CmdletBinding(PositionalBinding = $false, SupportsShouldProcess)]\nparam(%s)\nprocess { $script:command = $PSCmdlet; Do-%s $PSBoundParameters }\n}\n",
			c.Name, c.parameters(), c.Name)
	}
	var types strings.Builder
	for _, name := range slices.Sorted(maps.Keys(enums)) {
		flags := ""
		if name == "Profile" {
			flags = "[Flags()] "
		}
		fmt.Fprintf(&types, "%senum %s {", flags, name)
		for i, value := range enums[name] {
			if flags != "" {
				i = (1 << i) / 2
			}
			fmt.Fprintf(&types, " %s = %d;", value, i)
		}
		types.WriteString(" }\n")
	}
	return types.String() + string(behaviour) + functions.String()
}

// element is a type without "[]".
func element(recorded string) string { return strings.TrimSuffix(recorded, "[]") }

// parameters declares the parameters of a command.
func (c command) parameters() string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(c.Parameters)) {
		recorded := c.Parameters[name]
		kind := element(recorded)
		switch lower := strings.ToLower(kind); {
		case c.Values[name] != nil:
		case kept[lower] != "":
			kind = kept[lower]
		case slices.Contains([]string{"string", "switch", "int", "uint32", "long", "bool", "timespan", "datetime", "uri"}, lower):
		default:
			kind = "object"
		}
		if element(recorded) != recorded {
			kind += "[]"
		}
		attribute := ""
		if slices.Contains(piped, name) {
			attribute = "[Parameter(ValueFromPipeline)] "
		}
		all = append(all, fmt.Sprintf("%s[%s] $%s", attribute, kind, name))
	}
	return strings.Join(all, ", ")
}

// installStubs puts the module where PowerShell finds its commands, and takes away what hangs under Wine.
func (m *machine) installStubs(t *testing.T, do func(argv ...string)) {
	t.Helper()
	folder := m.path(`C:\Program Files\PowerShell\Modules\Stubs`)
	must(t, os.MkdirAll(folder, 0o755))
	text := stubs(t)
	var names []string
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "function "); ok && strings.HasSuffix(name, " {\n") && strings.Contains(name, "-") && !strings.HasPrefix(name, "Do-") {
			names = append(names, "'"+strings.TrimSuffix(name, " {\n")+"'")
		}
	}
	must(t, os.WriteFile(filepath.Join(folder, "Stubs.psm1"), []byte(text), 0o644))
	must(t, os.WriteFile(filepath.Join(folder, "Stubs.psd1"), []byte(fmt.Sprintf(
		"@{ RootModule = 'Stubs.psm1'; ModuleVersion = '1.0'; GUID = '6f0b1f0c-7d0c-4ad1-9ac9-5c0f0c6e1b11'; FunctionsToExport = @(%s) }\n", strings.Join(names, ", "))), 0o644))
	hidden := m.path(`C:\Program Files\PowerShell\7\Modules\CimCmdlets`)
	if _, err := os.Stat(filepath.Join(os.Getenv(variable), "Modules", "CimCmdlets")); err == nil {
		do("mount", "-t", "tmpfs", "none", hidden)
	}
}

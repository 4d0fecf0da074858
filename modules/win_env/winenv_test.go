package winenv

import (
	"testing"

	"kinit/engine/module/moduletest"
)

func text(s string) *string { return &s }

func TestDecisions(t *testing.T) {
	t.Parallel()
	const path = `%SystemRoot%\system32;C:\Tools\`
	for _, c := range []struct {
		name, args string
		have       *string
		want       *string
		step       string
	}{
		{"a new variable", "name = \"A\"\nvalue = \"x\"", nil, text("x"), `set A to "x"`},
		{"another value", "name = \"A\"\nvalue = \"x\"", text("y"), text("x"), `change A from "y" to "x"`},
		{"the same value", "name = \"A\"\nvalue = \"x\"", text("x"), text("x"), ""},
		{"an absent variable", "name = \"A\"\nstate = \"absent\"", text("x"), nil, "remove A"},
		{"an absent variable that is not there", "name = \"A\"\nstate = \"absent\"", nil, nil, ""},
		{"an element that is missing", "name = \"Path\"\nelements = [\"C:/k\"]", text(path), text(path + `;C:\k`), `add C:\k to Path`},
		{"elements that are there in another form", "name = \"Path\"\nelements = [\"c:/tools\", \"%systemroot%/System32/\"]", text(path), text(path), ""},
		{"an element after a closing semicolon", "name = \"Path\"\nelements = [\"C:/k\"]", text(path + ";"), text(path + `;C:\k`), `add C:\k to Path`},
		{"an element of no list", "name = \"Path\"\nelements = [\"C:/k\"]", nil, text(`C:\k`), `set Path to "C:\\k"`},
		{"an absent element", "name = \"Path\"\nelements = [\"c:/tools\"]\nstate = \"absent\"", text(path), text(`%SystemRoot%\system32`), `remove C:\Tools\ from Path`},
		{"an absent element that is not there", "name = \"Path\"\nelements = [\"C:/k\"]\nstate = \"absent\"", text(path), text(path), ""},
	} {
		got, step := moduletest.Decode(t, Kind(), c.args).(*Task).decide(c.have)
		if step != c.step || (got == nil) != (c.want == nil) || got != nil && *got != *c.want {
			t.Errorf("%s: %v, %q, want %v, %q", c.name, got, step, c.want, c.step)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"name = \"\"\nvalue = \"x\"":                         `name is "", want the name of a variable such as "Path"`,
		"name = \"A=B\"\nvalue = \"x\"":                      `name is "A=B", want the name of a variable such as "Path"`,
		"name = \"A\"":                                       "nothing is asked for, want value or elements",
		"name = \"A\"\nvalue = \"x\"\nelements = [\"C:/k\"]": "value is the whole variable, want it without elements",
		"name = \"A\"\nvalue = \"x\"\nstate = \"absent\"":    "an absent variable has no value, want none with state = \"absent\"",
		"name = \"A\"\nvalue = \"x\"\nscope = \"process\"":   `scope is "process", want one of machine, user`,
		"name = \"A\"\nelements = [\"C:/a;C:/b\"]":           `elements has "C:/a;C:/b", want a path without semicolon and quotes`,
		"name = \"A\"\nvalue = \"a\\nb\"":                    "value has a line break in it, want one line",
		"name = \"A\"\nvalue = \"x\"\nstate = \"somewhere\"": `state is "somewhere", want one of present, absent`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}

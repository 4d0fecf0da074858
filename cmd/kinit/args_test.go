package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestArrange(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct{ in, want string }{
		"nothing":                             {"", ""},
		"flags after the argument":            {"run a.hcl --hosts x,y -v", "run --hosts=x,y --verbose -- a.hcl"},
		"flags before the argument":           {"run --hosts x,y -v a.hcl", "run --hosts=x,y --verbose -- a.hcl"},
		"flags on both sides":                 {"run --check a.hcl -i inv.hcl", "run --check --inventory=inv.hcl -- a.hcl"},
		"a switch three times at once":        {"run s -vvv", "run --verbose --verbose --verbose -- s"},
		"two names of one flag":               {"run -i a --inventory b s", "run --inventory=a --inventory=b -- s"},
		"a value with an equals sign":         {"run s --var=a=b --var c=d", "run --var=a=b --var=c=d -- s"},
		"a value that looks like a flag":      {"run s --var -a=b", "run --var=-a=b -- s"},
		"a switch with a value":               {"run s --check=false", "run --check=false -- s"},
		"one dash before a long name":         {"run s -hosts x", "run --hosts=x -- s"},
		"arguments after two dashes":          {"run -- --odd.hcl -v", "run -- --odd.hcl -v"},
		"a single dash is an argument":        {"run -", "run -- -"},
		"a command of a command":              {"lab up --hosts a,b", "lab up --hosts=a,b --"},
		"help of the program":                 {"help", "--help"},
		"help of a command":                   {"help run", "run --help"},
		"help of a command of a command":      {"help lab up", "lab up --help"},
		"help after the argument":             {"run s -h -v", "run --help"},
		"the version":                         {"--version", "--version"},
		"a command that has commands, alone":  {"lab", "lab"},
		"a command that has commands, helped": {"lab --help", "lab --help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := arrange(append([]string{"kinit"}, strings.Fields(tc.in)...), newCLI(newProgram(t).App))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(append([]string{"kinit"}, strings.Fields(tc.want)...), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArrangeRefuses(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"rum":                  `unknown command "rum". Did you mean "run"?`,
		"help nothing":         `unknown command "nothing".`,
		"lab sideways":         `unknown command "sideways".`,
		"run s --host x":       `unknown flag --host. Did you mean "--hosts"?`,
		"run s -z":             `unknown flag -z.`,
		"run s -ii a":          `unknown flag --ii.`,
		"run s -vq":            `unknown flag --vq. Did you mean "--var"?`,
		"run s --hosts":        `--hosts needs a value`,
		"--verbose run":        `unknown flag --verbose.`,
		"validate s --purge":   `unknown flag --purge.`,
		"modules --outputs=js": `unknown flag --outputs. Did you mean "--output"?`,
	} {
		_, err := arrange(append([]string{"kinit"}, strings.Fields(in)...), newCLI(newProgram(t).App))
		if err == nil || err.Error() != want {
			t.Errorf("kinit %s: got %v, want %s", in, err, want)
		}
	}
}

package localfacts

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// machine is this machine with two folders of facts, of which the second is missing.
func machine(t *testing.T, files map[string]string) (*moduletest.Local, *Task) {
	t.Helper()
	need.Root(t, "root")
	h := moduletest.LocalHost(t, "")
	if err := os.Mkdir(h.Path("facts.d"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		mode := os.FileMode(0o644)
		if strings.HasPrefix(text, "#!") {
			mode = 0o755
		}
		if err := os.WriteFile(h.Path("facts.d", name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	return h, &Task{Folders: []string{h.Path("facts.d"), h.Path("none")}}
}

func TestSuite(t *testing.T) {
	t.Parallel()
	h, task := machine(t, map[string]string{"a.fact": "{}"})
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return task }, Host: h, NoSteps: true})
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return moduletest.Decode(t, Kind(), "") }, Host: moduletest.NewFakeHost(t, ""), NoSteps: true})
}

func TestFactsOfFilesAndPrograms(t *testing.T) {
	t.Parallel()
	h, task := machine(t, map[string]string{
		"site.fact":    `{"rack": 7, "tags": ["a", "b"]}`,
		"app.fact":     "# of the app\n[general]\nrole = web\n\n[empty]\n",
		"program.fact": "#!/bin/sh\necho '{\"answer\": \"'$((6 * 7))'\"}'\n",
		"README":       "no fact",
	})
	text := cty.StringVal
	moduletest.WantOutputs(t, task, h, map[string]cty.Value{"values": cty.ObjectVal(map[string]cty.Value{
		"site":    cty.ObjectVal(map[string]cty.Value{"rack": cty.NumberIntVal(7), "tags": cty.TupleVal([]cty.Value{text("a"), text("b")})}),
		"app":     cty.ObjectVal(map[string]cty.Value{"general": cty.ObjectVal(map[string]cty.Value{"role": text("web")}), "empty": cty.EmptyObjectVal}),
		"program": cty.ObjectVal(map[string]cty.Value{"answer": text("42")}),
	})})
}

func TestErrors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{":                          "read it as JSON: EOF",
		"a = b\n":                    `it is neither JSON nor "name = value" in sections with "[name]"`,
		"[a\n":                       `"[a" is the beginning of no section, want "[name]"`,
		"#!/bin/sh\necho no; exit 3": "command ended with code 3: no",
	} {
		h, task := machine(t, map[string]string{"x.fact": text})
		_, err := task.Outputs(t.Context(), h)
		if want = h.Path("facts.d", "x.fact") + ": " + want; err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
	moduletest.Refused(t, &Task{Folders: []string{"facts.d"}}, `folders is "facts.d", want an absolute path`)
}

// Programs of a folder run with the rights of the task.
func TestWhatOthersCanChangeIsNotRead(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(folder string) error{
		"owner nobody and mode 0755": func(folder string) error { return os.Chown(folder+"/x.fact", 65534, 65534) },
		"owner root and mode 0757":   func(folder string) error { return os.Chmod(folder+"/x.fact", 0o757) },
		"owner root and mode 0755":   func(folder string) error { return os.Chown(folder, 65534, 65534) },
	} {
		h, task := machine(t, map[string]string{"x.fact": "#!/bin/sh\ntouch \"$0.ran\"\necho {}\n"})
		if err := change(h.Path("facts.d")); err != nil {
			t.Fatal(err)
		}
		_, err := task.Outputs(t.Context(), h)
		want := h.Path("facts.d", "x.fact") + ": users other than root can change it, so that it is not read: want owner root, " +
			"a mode such as 0644, and a folder that only root can change; it has " + what
		if err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
		if _, err := os.Stat(h.Path("facts.d", "x.fact.ran")); err == nil {
			t.Errorf("%s: the program ran", what)
		}
	}
}

func TestManyFactsDoNotFillTheMemory(t *testing.T) {
	t.Parallel()
	values, settings := "["+strings.Repeat("0,", 20_000)+"0]", "[a]\n"
	for i := range 20_000 {
		settings += fmt.Sprintf("k%d=v\n", i)
	}
	for name, c := range map[string]struct {
		files map[string]string
		want  string
	}{
		"values":   {map[string]string{"a.fact": values, "b.fact": values}, "b.fact: it has more than 9998 values; all files may have 30000 together"},
		"settings": {map[string]string{"a.fact": settings, "b.fact": settings}, "b.fact: with those before it has more than 30000 values"},
		"bytes":    {map[string]string{"a.fact": `"` + strings.Repeat("x", 5<<20) + `"`, "b.fact": `"` + strings.Repeat("x", 5<<20) + `"`}, "b.fact: with those before it has more than 8 MiB, which no playbook needs"},
	} {
		h, task := machine(t, c.files)
		if _, err := task.Outputs(t.Context(), h); err == nil || !strings.HasSuffix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

package template

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	args := `dest = "` + h.Path("f") + `"` + "\n"
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), args+"template = \"$${name}\\n\"\nvars = { name = \"web\" }")
		},
		Absent: func() module.Task { return moduletest.Decode(t, Kind(), args+`state = "absent"`) },
		Host:   h,
	})
}

func TestRender(t *testing.T) {
	t.Parallel()
	vars := cty.ObjectVal(map[string]cty.Value{
		"name":  cty.StringVal("web"),
		"ports": cty.TupleVal([]cty.Value{cty.NumberIntVal(80), cty.NumberIntVal(443)}),
		"tls":   cty.True,
	})
	for _, c := range []struct{ name, template, want string }{
		{"plain", "hello\n", "hello\n"},
		{"empty", "", ""},
		{"value", "name ${name}", "name web"},
		{"number alone", "${ports[0]}", "80"},
		{"loop", "%{ for p in ports ~}\nlisten ${p}\n%{ endfor ~}\n", "listen 80\nlisten 443\n"},
		{"choice", "%{ if tls }https%{ else }http%{ endif }", "https"},
		{"functions", `${upper(name)} ${join(",", ports)} ${jsonencode({ a = tls })}`, `WEB 80,443 {"a":true}`},
	} {
		got, sensitive, err := Render(c.template, vars)
		if err != nil || got != c.want || sensitive {
			t.Errorf("%s: %q, %v, %v, want %q", c.name, got, sensitive, err, c.want)
		}
	}
}

func TestErrorsNameTheLineOfTheTemplate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, template, want string }{
		{"unknown name", "a\n  b ${nam}\n", "template line 2: Unknown variable: There is no variable named \"nam\". Did you mean \"name\"?\n  b ${nam}"},
		{"syntax", "a\nb\n${", "template line 3: "},
		{"unknown function", "${file(name)}", "template line 1: Call to unknown function: "},
		{"no text", "${[name]}", "template gives no text: string required, but have tuple"},
		{"null", "${null}", "template gives null, want a text"},
	} {
		_, _, err := Render(c.template, cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web")}))
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestSensitiveValueMakesTheContentSecret(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/etc/f", "old", 0o644)
	text := "key ${key}\n"
	task := &Task{Dest: "/etc/f", State: "present", Template: &text,
		Vars: cty.ObjectVal(map[string]cty.Value{"key": cty.StringVal("opensesame").Mark("sensitive")})}
	steps, err := task.Plan(t.Context(), h)
	if err != nil || len(steps) != 1 {
		t.Fatalf("steps %v, %v", steps, err)
	}
	if got, want := steps[0].String(), "change /etc/f, mode 0644 to 0600"; got != want {
		t.Errorf("step %q, want %q", got, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		``:                              "template is missing, want the text to fill",
		"template = \"x\"\nvars = 1":    "vars is no object, want { name = value … }",
		"template = \"x\"\nvars = {}":   "",
		"template = \"x\"\nmode = \"\"": "",
	} {
		got := ""
		if err := moduletest.Decode(t, Kind(), "dest = \"/f\"\n"+args).(module.Validator).Validate(); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

package render

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"
)

func TestText(t *testing.T) {
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
		got, err := Text(c.template, vars, false)
		if err != nil || got != c.want {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
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
		_, err := Text(c.template, cty.ObjectVal(map[string]cty.Value{"name": cty.StringVal("web")}), false)
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.name, err, c.want)
		}
	}
}

func TestErrorsOfASecretTemplateShowNothingOfIt(t *testing.T) {
	t.Parallel()
	vars := cty.ObjectVal(map[string]cty.Value{"pin": cty.StringVal("hunter22")})
	_, err := Text("a\n${ formatlist(\"%d\", pin)[0] }\n", vars, true)
	if want := "template line 2: Error in function call; it is secret, so nothing else is shown"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

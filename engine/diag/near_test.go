package diag

import (
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	"github.com/zclconf/go-cty/cty"
)

func TestNearOffersTheMostLikeNames(t *testing.T) {
	t.Parallel()
	names := []string{"a", "file", "files", "command", "libvirt_domain", "libvirt_volume", "nyctea", "hosts", "lost", "most"}
	tests := map[string]struct{ given, want string }{
		"one letter wrong":            {"filf", ` Did you mean "file"?`},
		"two swapped letters":         {"comamnd", ` Did you mean "command"?`},
		"case does not count":         {"NYCTEA", ` Did you mean "nyctea"?`},
		"only its end is missing":     {"libvirt_volum", ` Did you mean "libvirt_volume"?`},
		"an end before a letter":      {"host", ` Did you mean "hosts"?`},
		"two are as near":             {"filex", ` Did you mean "file" or "files"?`},
		"a long name may differ more": {"libvirt_domian_", ` Did you mean "libvirt_domain"?`},
		"one letter is like nothing":  {"x", ""},
		"nothing is like it":          {"systemd", ""},
		"empty":                       {"", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := Near(test.given, names); got != test.want {
				t.Errorf("Near(%q) is %q, want %q", test.given, got, test.want)
			}
		})
	}
}

func TestDistanceCountsEdits(t *testing.T) {
	t.Parallel()
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"abc", "abc", 0}, {"abc", "abd", 1}, {"abc", "acb", 1}, {"kitten", "sitting", 3}, {"ä", "a", 1},
	}
	for _, test := range tests {
		if got := distance(test.a, test.b, 10); got != test.want {
			t.Errorf("distance(%q, %q) is %d, want %d", test.a, test.b, got, test.want)
		}
	}
}

func TestSyntaxOfOtherProgramsIsExplained(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"curl -w %{http_code}": "A %{ of another program, as in curl's %{http_code}, is written %%{.",
		"ls ${HOME}/x":         `A variable of a shell is written $${HOME} in a text, or $HOME.`,
		"ls ${HOME:-x}":        `escape it by starting with "$${"`,
	} {
		expr, diags := hclsyntax.ParseTemplate([]byte(text), "a.hcl", hcl.InitialPos)
		if !diags.HasErrors() {
			_, diags = expr.Value(&hcl.EvalContext{Variables: map[string]cty.Value{"host": cty.True}})
		}
		got := FromHCL(diags)
		if len(got) == 0 || !strings.Contains(got[0].Detail, want) {
			t.Errorf("%s: %v, want %q", text, got, want)
		}
	}
}

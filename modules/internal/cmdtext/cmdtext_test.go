package cmdtext

import (
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
)

func TestShowMasksSecretsBeforeItCuts(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.AddSecret("opensesame")
	for _, c := range []struct {
		name string
		argv []string
		want string
	}{
		{"short", []string{"echo", "a b"}, "echo 'a b'"},
		{"secret", []string{"login", "--password=opensesame"}, "login '--password=***'"},
		{"several lines", []string{"sh", "-c", "one\n  two"}, "sh -c 'one two'"},
		{"secret over the cut", []string{strings.Repeat("x", 118), "opensesame"}, strings.Repeat("x", 118) + " * …"},
	} {
		if got := Show(h, c.argv); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		want, text string
		found      bool
	}{
		{"Ready", "node1 Ready", true},
		{"^node1 +Ready", "node1   Ready", true},
		{"a(b", "x a(b y", true},
		{"a(b", "ab", false},
		{"ready", "Ready", false},
	} {
		if got := Matches(c.want, c.text); got != c.found {
			t.Errorf("Matches(%q, %q) = %v", c.want, c.text, got)
		}
	}
}

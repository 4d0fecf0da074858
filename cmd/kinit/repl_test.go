package main

import (
	"strings"
	"testing"
)

func TestLastWordIsTheNameBeforeTheCursor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                   "",
		"var.n":              "var.n",
		"upper(local.gr":     "local.gr",
		"1 + cluster.nodes.": "cluster.nodes.",
		`hosts["web-1"].va`:  ".va",
		"[for x in var.häs":  "var.häs",
		"f(x) ":              "",
	} {
		if got := lastWord(text); got != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

func TestCommonIsWhatAllNamesBeginWith(t *testing.T) {
	t.Parallel()
	for names, want := range map[string]string{
		"": "", "var.n": "var.n", "var.name var.nothing": "var.n", "a b": "", "cidrhost( cidrhost": "cidrhost",
	} {
		if got := common(strings.Fields(names)); got != want {
			t.Errorf("%q: got %q, want %q", names, got, want)
		}
	}
}

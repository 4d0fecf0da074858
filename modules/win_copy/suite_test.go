package wincopy

import (
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), `dest = "C:/Windows/Temp/app.toml"
content = "name = \"é\"\n"`)
		},
		Absent: func() module.Task {
			return moduletest.Decode(t, Kind(), `dest = "C:/Windows/Temp/app.toml"
state = "absent"`)
		},
		Host: winhost.New(t, winhost.Options{Language: "de-DE"}),
	})
}

func TestSuiteOfASecret(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	moduletest.Run(t, moduletest.Case{
		New: func() module.Task {
			return moduletest.Decode(t, Kind(), "dest = \"C:/Users/Public/app.key\"\ncontent_secret = \"open sesame\"")
		},
		Host:    h,
		Secrets: []secret.Value{"open sesame"},
	})
	security, err := h.Machine.Files.Security("C:/Users/Public/app.key")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range security.Entries {
		if entry.SID != "S-1-5-18" && entry.SID != "S-1-5-32-544" {
			t.Errorf("%s has access", entry.SID)
		}
	}
	if text, _ := h.Text("C:/Users/Public/app.key"); text != "open sesame" || !security.Protected {
		t.Errorf("content %q, %+v", text, security)
	}
}

func TestChangesAreShownWhereTheyAreNoSecret(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		"content = \"name = \\\"b\\\"\\n\"":                 "change C:/etc/app.toml\n--- C:/etc/app.toml\n+++ C:/etc/app.toml\n@@ -1,1 +1,1 @@\n-name = \"a\"\n+name = \"b\"",
		"content = \"name = \\\"b\\\"\\n\"\nprivate = true": "change C:/etc/app.toml, private",
		"content_secret = \"name = \\\"b\\\"\\n\"":          "change C:/etc/app.toml, private",
		"content = \"name = \\\"a\\\"\\n\"\nprivate = true": "set C:/etc/app.toml: private",
		"content = \"name = \\\"a\\\"\\n\"":                 "",
	} {
		// Each on a host of its own: what is a secret once stays one.
		h := winhost.New(t, winhost.Options{})
		h.Put("C:/etc/app.toml", "name = \"a\"\n")
		task := moduletest.Decode(t, Kind(), "dest = \"C:/etc/app.toml\"\n"+args)
		if got := moduletest.Planned(t.Context(), task, h); got != want {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

func TestMissingFolderIsSaid(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{Language: "de-DE"})
	const want = "the folder of C:/none/app.key is missing, make it with a win_file task before: "
	for _, args := range []string{`content = "x"`, `content_secret = "open sesame"`} {
		got := moduletest.Apply(t, moduletest.Decode(t, Kind(), "dest = \"C:/none/app.key\"\n"+args), h)
		if !strings.HasPrefix(got, want) {
			t.Errorf("%q: %q, want %q", args, got, want)
		}
	}
}

package engine_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine"
)

// A file in Latin-1, and one whose accents are separate characters, which a value would compose.
const latin1, decomposed = "name=Jos\xe9\x00\n", "name=Jose\u0301\n"

func TestBytesThatAreNotUTF8ArriveUnchanged(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "read_file" "r" {
  host = "localhost"
  path = "TMP/latin1"
}
task "read_file" "d" {
  host = "localhost"
  path = "TMP/decomposed"
}
task "command" "c" {
  host      = "localhost"
  argv      = ["cat", "TMP/latin1"]
  read_only = true
}
task "copy" "read" {
  host    = "localhost"
  dest    = "TMP/read"
  content = task.read_file.r.content
}
task "copy" "printed" {
  host    = "localhost"
  dest    = "TMP/printed"
  content = "${task.command.c.stdout}"
}
task "copy" "coded" {
  host           = "localhost"
  dest           = "TMP/coded"
  content_base64 = task.read_file.d.base64
}
task "fetch" "f" {
  host   = "localhost"
  source = "TMP/latin1"
  dest   = "TMP/fetched"
}
`)
	putBytes(t, o)
	equal(t, "problems", problems(engine.Run(t.Context(), o)), "")
	for name, want := range map[string]string{"read": latin1, "printed": latin1, "coded": decomposed, "fetched": latin1} {
		equal(t, name, content(t, o, name), want)
	}
	equal(t, "changes of a second run", engine.Run(t.Context(), o).Changes(), 0)
}

func TestTextThatAValueCannotHoldIsAnErrorWhereItIsUsed(t *testing.T) {
	t.Parallel()
	for argument, want := range map[string]string{
		`content = task.read_file.d.content`:             "want exactly one of content, content_base64",
		`content = jsonencode(task.read_file.r.content)`: "a text in the value is not utf-8",
	} {
		o := options(t, `
task "read_file" "r" {
  host = "localhost"
  path = "TMP/latin1"
}
task "read_file" "d" {
  host = "localhost"
  path = "TMP/decomposed"
}
task "copy" "c" {
  host = "localhost"
  dest = "TMP/copy"
  `+argument+`
}
`)
		putBytes(t, o)
		if got := problems(engine.Run(t.Context(), o)); !strings.Contains(strings.ToLower(got), want) {
			t.Errorf("%s: %s, want %q", argument, got, want)
		}
		equal(t, "the file", content(t, o, "copy"), "")
	}
}

func putBytes(t *testing.T, o engine.Options) {
	t.Helper()
	for name, text := range map[string]string{"latin1": latin1, "decomposed": decomposed} {
		if err := os.WriteFile(filepath.Join(o.Cwd, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

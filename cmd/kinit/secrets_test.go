package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/modules"
)

// The secrets that leaky plants: by a variable that is sensitive, and as a literal
// of an argument that is a secret by its type.
const (
	plantedVariable = "pl4nted'S3cret/of+some length & <more> than one line of base64 has room for"
	plantedLiteral  = "literal-S3cret-77"
)

// leaky is a playbook whose commands print its secrets in every way they can.
const leaky = `
variable "token" {
  sensitive = true
}

task "copy" "secret" {
  dest           = "${path.cwd}/secret"
  content_secret = "${var.token}\n"
}

task "copy" "literal" {
  dest           = "${path.cwd}/literal"
  content_secret = "literal-S3cret-77"
}

task "copy" "plain" {
  dest    = "${path.cwd}/plain"
  content = "a=${var.token}\nb=${base64encode("user:${var.token}")}\n"
  mode    = "0644"
}

task "command" "prints" {
  read_only  = true
  argv       = ["sh", "-c", "cat secret literal; base64 -w 24 secret; base64 -w 24 literal; fold -w 7 secret; fold -w 7 literal"]
  dir        = path.cwd
  depends_on = [task.copy.secret, task.copy.literal]
}

task "command" "fails" {
  argv       = ["sh", "-c", "cat secret literal >&2; base64 -w 24 secret literal >&2; fold -w 7 secret >&2; echo \"$0\" >&2; exit 3", var.token]
  dir        = path.cwd
  stdin      = var.token
  env        = { TOKEN = var.token }
  depends_on = [task.command.prints]
}

output "printed" {
  value = task.command.prints.stdout
}
`

func TestTheStreamOfEventsHasNoSecret(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl", "--var", "token="+plantedVariable, "--output", "json")
	p.Engine.Run, p.Kinds = engine.Run, modules.All
	if err := os.WriteFile(filepath.Join(p.Cwd, "site.hcl"), []byte(leaky), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run(); code != exit.Failed {
		t.Fatalf("got exit code %d\n%s%s", code, p.out.String(), p.err.String())
	}
	if !strings.Contains(p.out.String(), `"kind":"task_progress"`) {
		t.Error("there is no progress in the stream")
	}
	texts := regexp.MustCompile(`"text":"((?:[^"\\]|\\.)*)"`).FindAllStringSubmatch(p.out.String(), -1)
	var joined strings.Builder // what lines of output were, one after the other
	for _, text := range texts {
		joined.WriteString(text[1])
	}
	for _, secret := range []string{plantedVariable, plantedLiteral} {
		for name, text := range map[string]string{"the stream": p.out.String(), "its progress": joined.String()} {
			if form := leak(text, secret); form != "" {
				t.Errorf("%s has %q, a form of %q", name, form, secret)
			}
		}
	}
}

func TestNothingThatIsKeptOfARunHasASecret(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl", "--var", "token="+plantedVariable, "--junit", "out.xml", "--report", "out.html", "-v")
	p.Engine.Run, p.Kinds = engine.Run, modules.All
	if err := os.WriteFile(filepath.Join(p.Cwd, "site.hcl"), []byte(leaky), 0o600); err != nil {
		t.Fatal(err)
	}
	if code := p.run(); code != exit.Failed {
		t.Fatalf("got exit code %d\n%s%s", code, p.out.String(), p.err.String())
	}
	kept := map[string]string{"standard output": p.out.String(), "standard error": p.err.String()}
	for _, name := range []string{"out.xml", "out.html"} {
		kept[name] = readFile(t, filepath.Join(p.Cwd, name))
	}
	kept["events.jsonl"] = strings.Join(readLog(t, p), "\n")
	again := p.App
	again.Args = []string{"kinit", "logs", "site.hcl", "--out", "all.tar.gz"}
	if code := run(again); code != exit.OK {
		t.Fatalf("kinit logs: exit code %d: %s", code, p.err.String())
	}
	for name, content := range unpack(t, filepath.Join(p.Cwd, "all.tar.gz")) {
		kept["the bundle's "+name] = content
	}
	if len(kept) != 9 {
		t.Errorf("%d places were searched, want 9", len(kept))
	}
	for place, content := range kept {
		for _, secret := range []string{plantedVariable, plantedLiteral} {
			if form := leak(content, secret); form != "" {
				t.Errorf("%s has %q, a form of %q", place, form, secret)
			}
		}
		if !strings.Contains(content, "***") && !strings.Contains(content, engine.Hidden) && !strings.Contains(content, "a sensitive value is among its arguments") {
			t.Errorf("%s has no mask: the secret was not there to be masked", place)
		}
	}
}

// leak is a form of a secret that a text has, whatever stands between its
// characters that is no part of it: line breaks, blanks, quotes and escapes. It
// looks for pieces, because half of a secret is a leak too.
func leak(text, secret string) string {
	text = bare(strings.NewReplacer(`\n`, "", "&#xA;", "", `\u0026`, "&", `\u003c`, "<", `\u003e`, ">", "&#39;", "'", "&amp;", "&", "&lt;", "<", "&gt;", ">").Replace(text))
	for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret)), base64.StdEncoding.EncodeToString([]byte("user:" + secret))[8:]} {
		form = bare(form)
		for i := 0; i+12 <= len(form); i++ {
			if piece := form[i : i+12]; strings.Contains(text, piece) {
				return piece
			}
		}
	}
	return ""
}

// bare leaves letters, digits and what base64 has beside them.
func bare(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || r == '+' || r == '/' {
			return r
		}
		return -1
	}, text)
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// unpack reads the files of a bundle.
func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	zipped, err := gzip.NewReader(bytes.NewReader([]byte(readFile(t, path))))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	archive := tar.NewReader(zipped)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[filepath.Base(header.Name)] = string(content)
	}
}

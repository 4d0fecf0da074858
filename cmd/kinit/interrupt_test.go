package main

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"kinit/cmd/kinit/app"
	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/secretfile"
)

func TestASignalEndsLabCommands(t *testing.T) {
	t.Parallel()
	// Each command is interrupted in its last job; "lab up" in either of its two.
	for _, tc := range []struct{ command, spec string }{
		{"lab up", artifactsSpec},
		{"lab up", labSpec},
		{"lab down", labSpec},
		{"lab status", labSpec},
	} {
		t.Run(tc.command+" in "+tc.spec, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, strings.Fields(tc.command)...)
			p.during = func(ctx context.Context, o engine.Options) {
				if o.Spec == tc.spec {
					p.incoming <- syscall.SIGINT
					<-ctx.Done()
				}
			}
			if code := p.run(); code != exit.Interrupted {
				t.Fatalf("got exit code %d", code)
			}
			if p.options.Spec != tc.spec {
				t.Errorf("it went on with %s", p.options.Spec)
			}
			if got, want := p.err.String(), app.Stopping+"\n"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			if want := "Stopped after 0.0s: 0 tasks, 0 changed.\n"; !strings.HasSuffix(p.out.String(), want) {
				t.Errorf("got %q, want it to end with %q", p.out.String(), want)
			}
		})
	}
}

// silent is an input without any text. It reports when it is first read.
type silent struct {
	asked chan struct{}
	ended chan struct{}
}

func (s silent) Read([]byte) (int, error) {
	s.asked <- struct{}{}
	<-s.ended
	return 0, io.EOF
}

func TestASignalEndsSecretCommandsThatWaitForInput(t *testing.T) {
	t.Parallel()
	for _, args := range []string{"encrypt -", "decrypt -", "rekey -", "edit -", "encrypt --value password site.hcl"} {
		t.Run(args, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, append([]string{"secret"}, strings.Fields(args)...)...)
			makeOwnKey(t, p)
			in := silent{make(chan struct{}), make(chan struct{})}
			defer close(in.ended)
			p.In = in
			spec := filepath.Join(p.Cwd, "site.hcl")
			if err := os.WriteFile(spec, []byte("locals {}\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			go func() {
				<-in.asked
				p.incoming <- syscall.SIGINT
			}()
			if code := p.run(); code != exit.Interrupted {
				t.Errorf("got exit code %d and %q", code, p.err.String())
			}
			if p.out.Len() > 0 {
				t.Errorf("it printed %q", p.out.String())
			}
			if text, err := os.ReadFile(spec); err != nil || string(text) != "locals {}\n" {
				t.Errorf("the file has %q, %v", text, err)
			}
		})
	}
}

func TestAnInterruptedEditorChangesNothing(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		editor string
		code   int
	}{
		"ended by the interrupt":         {`kill -INT $$; :`, exit.Interrupted},
		"telling of it by its exit code": {`exit 130; :`, exit.Interrupted},
		"failing otherwise":              {`exit 1; :`, exit.Failed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, "secret", "edit", "vars.age")
			public := makeOwnKey(t, p)
			encrypted, err := secretfile.Encrypt("before\n", public)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(p.Cwd, "vars.age")
			if err := os.WriteFile(file, []byte(encrypted), 0o600); err != nil {
				t.Fatal(err)
			}
			memory := t.TempDir()
			p.Environ = append(p.Environ, "XDG_RUNTIME_DIR="+memory, "PATH="+os.Getenv("PATH"),
				`EDITOR=for last; do :; done; echo after > "$last"; `+tc.editor)
			if code := p.run(); code != tc.code {
				t.Errorf("got exit code %d and %q", code, p.err.String())
			}
			if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, []byte(encrypted)) {
				t.Errorf("the file has changed: %q, %v", text, err)
			}
			if left, err := os.ReadDir(memory); err != nil || len(left) > 0 {
				t.Errorf("the text in the clear is left: %v, %v", left, err)
			}
		})
	}
}

// makeOwnKey makes the user's key and returns the public one.
func makeOwnKey(t *testing.T, p *program) string {
	t.Helper()
	text, public, err := secretfile.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	file := secretfile.File(p.Environ, p.Env("HOME"))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return public
}

package ansible

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kinit/test/executable"
)

func script(t *testing.T, text string) Program {
	t.Helper()
	folder := t.TempDir()
	path := filepath.Join(folder, "inventory.sh")
	executable.Write(t, path, "#!/bin/sh\n"+text)
	return Program{Name: "inventory.sh", Path: path, Environ: []string{"PATH=" + os.Getenv("PATH")}, Timeout: 10 * time.Second}
}

func TestAScriptEndsWithItsContextAndTakesItsChildrenAlong(t *testing.T) {
	t.Parallel()
	p := script(t, "sleep 300 & echo $! > \"$(dirname \"$0\")/child\"; wait\n")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for range 500 {
			if text, _ := os.ReadFile(filepath.Join(filepath.Dir(p.Path), "child")); strings.HasSuffix(string(text), "\n") {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	doc, _ := p.Read(ctx)
	if !doc.Diags.Is(context.Canceled) {
		t.Errorf("got %v", doc.Diags)
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(p.Path), "child"))
	if err != nil {
		t.Fatal(err)
	}
	child, _ := strconv.Atoi(strings.TrimSpace(string(text)))
	for range 500 { // it was killed; somebody must still collect it
		state, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", child))
		if errors.Is(syscall.Kill(child, 0), syscall.ESRCH) || strings.Contains(string(state), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d is still there", child)
}

// TestScriptsEndSoonAfterAnInterrupt interrupts scripts that hold on, and wants Read to return within 2 s.
func TestScriptsEndSoonAfterAnInterrupt(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"ignores signals":                 "trap '' TERM INT HUP; echo > ready; while :; do sleep 1; done\n",
		"leaves a process of its session": "setsid sh -c 'echo > ready; exec sleep 20' & wait\n",
		"is silent":                       "echo > ready; exec sleep 300\n",
		"prints without end":              "echo > ready; while :; do echo; sleep 0.1; done\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := script(t, "cd \"${0%/*}\"\n"+text) // scripts run in a private folder
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			var stopped time.Time
			go func() {
				for range 500 {
					if _, err := os.Stat(filepath.Join(filepath.Dir(p.Path), "ready")); err == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				stopped = time.Now()
				cancel()
			}()
			doc, _ := p.Read(ctx)
			if took := time.Since(stopped); took > 2*time.Second || !doc.Diags.Is(context.Canceled) {
				t.Errorf("it ended %s after the interrupt with %v", took, doc.Diags)
			}
		})
	}
}

// TestScriptWhoseChildHoldsItsOutputEnds runs a script that ends while another process still has its output.
func TestScriptWhoseChildHoldsItsOutputEnds(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	doc, _ := script(t, `setsid sleep 20 & echo "{\"g\": [\"a\"], \"_meta\": {\"hostvars\": {}}}"`+"\n").Read(t.Context())
	if took := time.Since(begin); took > 8*time.Second || len(doc.Diags) != 1 || !strings.Contains(doc.Diags[0].Detail, "still hold") {
		t.Errorf("it came to %v after %s", doc.Diags, took)
	}
}

func TestWhatAScriptSaysIsInTheError(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"an exit code":         {"exit 3\n", "inventory.sh --list: exit status 3."},
		"standard error":       {"echo 'no credentials.' >&2; exit 3\n", "inventory.sh --list: exit status 3: it said: no credentials."},
		"a lot of errors":      {"seq 100000 >&2; exit 3\n", "inventory.sh --list: exit status 3: it said: 99998\n99999\n100000."},
		"too much output":      {"head -c 70000000 /dev/zero\n", "inventory.sh --list: it printed more than 16777216 bytes."},
		"many values":          {"echo '['; yes '[],' | head -n 300000; echo '[]]'\n", "What inventory.sh --list printed cannot be read: it has more than 250000 values."},
		"deep values":          {"head -c 40 /dev/zero | tr '\\0' '['\n", "What inventory.sh --list printed cannot be read: its values are nested more than 32 deep."},
		"a signal":             {"kill -9 $$\n", "inventory.sh --list: signal: killed."},
		"what is not executed": {"exec /nonexistent\n", "inventory.sh --list: exit status 127: it said: "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			doc, texts := script(t, test.text).Read(t.Context())
			if len(doc.Diags) != 1 || len(texts) != 0 {
				t.Fatalf("got %v", doc.Diags)
			}
			if got := doc.Diags[0].Detail; got != test.want && (name != "what is not executed" || !strings.HasPrefix(got, test.want)) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestAScriptSeesNoOtherEnvironment(t *testing.T) {
	t.Parallel()
	p := script(t, `echo "{\"g\": [\"$HOME.$KINIT_TEST\"], \"_meta\": {\"hostvars\": {}}}"`+"\n")
	p.Environ = append(p.Environ, "KINIT_TEST=x")
	doc, _ := p.Read(t.Context())
	if len(doc.Hosts) != 1 || doc.Hosts[0].Name != ".x" {
		t.Errorf("got %+v, %v", doc.Hosts, doc.Diags)
	}
}

func TestScriptRunsInAPrivateFolder(t *testing.T) {
	t.Parallel()
	p := script(t, `printf '{"all": {"vars": {"folder": "%s", "mode": "%s", "entries": "%s"}}, "_meta": {"hostvars": {}}}' "$PWD" "$(stat -c %a .)" "$(ls -A)"`)
	doc, _ := p.Read(t.Context())
	if doc.Diags.HasErrors() || len(doc.Groups) != 1 {
		t.Fatalf("got %v", doc.Diags)
	}
	vars := doc.Groups[0].Vars
	folder := vars["folder"].Value.AsString()
	if mode, entries := vars["mode"].Value.AsString(), vars["entries"].Value.AsString(); mode != "700" || entries != "" {
		t.Errorf("mode %s, with %q", mode, entries)
	}
	if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%s is still there: %v", folder, err)
	}
}

package ansiblecore

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/need"
	"kinit/engine/trust"
	"kinit/test/executable"
)

var stat = Request{Module: "ansible.builtin.stat", Args: map[string]json.RawMessage{"path": json.RawMessage(`"/"`)}, Python: "/usr/bin/python3"}

func TestWithoutAnsibleCoreTheErrorSaysWhatToInstall(t *testing.T) {
	t.Parallel()
	need.Programs(t, "python", "/usr/bin/python3")
	const want = "ansible-core is missing on the machine kinit runs on: install it there, as by \"apt install ansible-core\" or \"pipx install ansible-core\""
	if _, err := In(t.TempDir()).Build(t.Context(), stat); !errors.Is(err, ErrMissing) || err.Error() != want {
		t.Errorf("without Python: %v, want %s", err, want)
	}
	folder := t.TempDir()
	program(t, folder, "python3", "#!/bin/sh\nexec /usr/bin/python3 -I -S \"$@\"\n") // without packages
	if _, err := In(folder).Build(t.Context(), stat); !errors.Is(err, ErrMissing) || err.Error() != want+" (No module named 'ansible')" {
		t.Errorf("with a Python that lacks it: %v, want %s", err, want)
	}
}

func TestInterpreterIsThatOfTheProgramAnsible(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	program(t, folder, "python3", "")
	for text, want := range map[string]string{
		"#!/opt/venv/bin/python -I\n": "/opt/venv/bin/python",
		"#! /usr/bin/python3\nimport": "/usr/bin/python3",
		"#!/bin/sh\n":                 filepath.Join(folder, "python3"),
		"":                            filepath.Join(folder, "python3"),
	} {
		program(t, folder, "ansible", text)
		if got, err := In(folder).interpreter(); err != nil || got != want {
			t.Errorf("%q: %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestTheSameRequestIsBuiltOnce(t *testing.T) {
	t.Parallel()
	folder, count := t.TempDir(), filepath.Join(t.TempDir(), "count")
	program(t, folder, "python3", "#!/bin/sh\ncat >/dev/null; echo built >>"+count+"; echo '{\"name\": \"x\"}'\n")
	b := In(folder)
	for range 3 {
		if p, err := b.Build(t.Context(), stat); err != nil || p.Name != "x" {
			t.Fatalf("%+v, %v", p, err)
		}
	}
	if text, err := os.ReadFile(count); err != nil || string(text) != "built\n" {
		t.Errorf("it was built %q, %v", text, err)
	}
	for i := range mostKept {
		b.kept.put([32]byte{byte(i)}, &Payloads{})
	}
	if n := len(b.kept.by); n != mostKept {
		t.Errorf("%d payloads are kept, want %d", n, mostKept)
	}
}

func TestBuildEndsWithItsContext(t *testing.T) {
	t.Parallel()
	folder, ready := t.TempDir(), filepath.Join(t.TempDir(), "ready")
	if err := os.WriteFile(ready, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	program(t, folder, "python3", "#!/bin/sh\nrm "+ready+"; sleep 600 & wait\n")
	ctx, cancel := context.WithCancel(t.Context())
	var started sync.WaitGroup
	started.Go(func() {
		for ctx.Err() == nil {
			if _, err := os.Stat(ready); err != nil {
				cancel()
			}
			time.Sleep(5 * time.Millisecond)
		}
	})
	defer started.Wait()
	defer cancel()
	if _, err := In(folder).Build(ctx, stat); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

func program(t *testing.T, folder, name, text string) {
	t.Helper()
	executable.Write(t, filepath.Join(folder, name), text)
}

// It changes the working directory, so it runs alone.
func TestPythonRunsNothingFromTheWorkingDirectory(t *testing.T) {
	need.Programs(t, "ansible", "ansible", "/usr/bin/python3")
	folder, planted := t.TempDir(), filepath.Join(t.TempDir(), "planted")
	for _, name := range []string{"base64.py", "json.py", "site.py", "sitecustomize.py", "usercustomize.py", "ansible.py"} {
		program(t, folder, name, "open("+"'"+planted+"'"+", 'a').write(__file__ + '\\n')\n")
	}
	t.Chdir(folder)
	t.Setenv("PYTHONPATH", ".")
	p, err := New().Build(t.Context(), stat)
	if err != nil || p.Name != "ansible.builtin.stat" || !p.Python {
		t.Errorf("%v, %+v", err, p)
	}
	if ran, err := os.ReadFile(planted); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("ran %s (%v)", ran, err)
	}
}

// It changes the working directory, so it runs alone.
func TestConfigurationOfAnotherUserIsRefused(t *testing.T) {
	need.Root(t, "files of several users")
	need.Programs(t, "ansible", "ansible", "/usr/bin/python3")
	t.Setenv("ANSIBLE_CONFIG", "")
	t.Setenv("HOME", t.TempDir())
	folder := t.TempDir()
	collection := filepath.Join(folder, "mine", "ansible_collections", "acme", "demo", "plugins", "modules")
	if err := os.MkdirAll(collection, 0o755); err != nil {
		t.Fatal(err)
	}
	program(t, collection, "hello.py", "from ansible.module_utils.basic import AnsibleModule\nAnsibleModule(argument_spec={}).exit_json()\n")
	program(t, folder, "ansible.cfg", "[defaults]\ncollections_path = mine\n")
	t.Chdir(folder)
	hello := Request{Module: "acme.demo.hello", Args: map[string]json.RawMessage{}, Python: "/usr/bin/python3"}
	build := func(want string) {
		t.Helper()
		_, err := New().Build(t.Context(), hello)
		if want == "" && err != nil || want != "" && (!errors.Is(err, trust.ErrUntrusted) || !strings.Contains(err.Error(), want)) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	own := func(path string, uid int) {
		t.Helper()
		if err := os.Chown(path, uid, uid); err != nil {
			t.Fatal(err)
		}
	}
	build("")
	own("ansible.cfg", 45002)
	build("ansible.cfg belongs to the user 45002")
	t.Setenv("KINIT_TRUST_DIR", folder)
	build("")
	t.Setenv("KINIT_TRUST_DIR", "")
	t.Setenv("ANSIBLE_CONFIG", "ansible.cfg") // named, so it may be another user's
	build("")
	own(filepath.Join(collection, "hello.py"), 45002)
	build("hello.py belongs to the user 45002")
}

func TestPathsOfTheWorkingDirectoryBecomeAbsolute(t *testing.T) {
	t.Parallel()
	got, err := environment([]string{"ANSIBLE_COLLECTIONS_PATH=mine:/opt/c:~/c", "ANSIBLE_CONFIG=sub/ansible.cfg", "X=a:b"}, "/work", "/home/alice")
	want := []string{"ANSIBLE_COLLECTIONS_PATH=/work/mine:/opt/c:~/c", "ANSIBLE_CONFIG=/work/sub/ansible.cfg", "X=a:b"}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
}

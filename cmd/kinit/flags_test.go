package main

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/exit"
	"kinit/engine"
	"kinit/engine/event"
)

// given runs a command line and returns what the engine got, without what the
// program is.
func given(t *testing.T, p *program) engine.Options {
	t.Helper()
	if code := p.run(); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, p.err.String())
	}
	o := p.options
	o.Builtin, o.Inventory, o.Events, o.Redactor, o.Kinds = nil, nil, nil, nil, nil
	o.Environ, o.Home, o.Cwd, o.CacheDir, o.StateDir = nil, "", "", "", ""
	return o
}

func TestFlagsBecomeOptions(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "run", "site.hcl", "--hosts", "a, b", "--hosts=c", "-i", "one.hcl", "--inventory", "two,2.hcl",
		"--var", "motd=hello, world", "--var", "n=1", "--var", "n= 2 ", "--var-file", "v.hcl",
		"--stop-after", "nodes", "--start-at", "network", "--only", `task.file.a["x,y"],services`, "--skip", "b", "--tags", "web, db", "--skip-tags", "slow", "-l", "a:!b",
		"--remove", "web-01, /srv/a.qcow2", "--recreate", "--purge", "--adopt", "--forks", "3", "--fresh-facts")
	want := engine.Options{
		Inputs: engine.Inputs{
			Spec: "site.hcl", Hosts: []string{"a", "b", "c"}, Inventories: []string{"one.hcl", "two,2.hcl"},
			Vars: map[string]string{"motd": "hello, world", "n": " 2 "}, VarFiles: []string{"v.hcl"}, StopAfter: "nodes",
			StartAt: "network", Only: []string{`task.file.a["x,y"]`, "services"}, Skip: []string{"b"}, Tags: []string{"web", "db"}, SkipTags: []string{"slow"}, Limit: []string{"a:!b"},
			Remove:   []string{"web-01", "/srv/a.qcow2"},
			Recreate: true, Purge: true, Adopt: true, FreshFacts: true,
		},
		Forks: 3,
	}
	if diff := cmp.Diff(want, given(t, p)); diff != "" {
		t.Error(diff)
	}
	if p.called != "run" {
		t.Errorf("used the engine's %s, want run", p.called)
	}
}

func TestCleanUpNamesAllRemovals(t *testing.T) {
	t.Parallel()
	for stage, want := range map[string]bool{"cleanup": true, "nodes": false} {
		if o := given(t, newProgram(t, "run", "site.hcl", "--stop-after", stage)); o.CleansUp != want {
			t.Errorf("--stop-after %s: %v, want %v", stage, o.CleansUp, want)
		}
	}
}

func TestTheEngineGetsWhatTheProcessGives(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "plan", "site.hcl")
	p.Environ = append(p.Environ, "XDG_CACHE_HOME=/var/cache/x", "KINIT_VAR_a=b")
	if code := p.run(); code != exit.OK {
		t.Fatal(code)
	}
	o, home := p.options, filepath.Join(filepath.Dir(p.Cwd), "home")
	if o.Cwd != p.Cwd || o.Home != home || o.CacheDir != "/var/cache/x/kinit" || o.StateDir != home+"/.local/state/kinit" || len(o.Kinds) != 2 ||
		o.Builtin == nil || o.Inventory == nil || o.Events == nil || o.Redactor == nil || o.Forks != engine.DefaultForks {
		t.Errorf("got %+v", o)
	}
	if diff := cmp.Diff(p.Environ, o.Environ); diff != "" {
		t.Error(diff)
	}
}

func TestLabCommandsUseTheLabSpec(t *testing.T) {
	t.Parallel()
	// vars are a lab's variables, with the folders below the temporary one.
	vars := func(root, name string, more ...string) map[string]string {
		all := map[string]string{
			"lab_name": name, "lab_cache": root + "/home/.cache/kinit/lab",
			"lab_state":     root + "/home/.local/state/kinit/labs/" + name,
			"lab_inventory": root + "/home/.config/kinit/inventories/" + name + ".hcl",
		}
		for i := 0; i < len(more); i += 2 {
			all[more[i]] = more[i+1]
		}
		return all
	}
	for name, tc := range map[string]struct {
		args   []string
		called string
		want   func(root string) engine.Options
	}{
		"up": {[]string{"up", "--hosts", "nyctea, tyto"}, "run", func(root string) engine.Options {
			return engine.Options{Inputs: engine.Inputs{Spec: "lab", Adopt: true, Vars: vars(root, "lab", "lab_hosts", "nyctea,tyto")}, Forks: 10}
		}},
		"up with a name and a variable": {[]string{"up", "--name", "ci", "--var", "x=2"}, "run", func(root string) engine.Options {
			return engine.Options{Inputs: engine.Inputs{Spec: "lab", Adopt: true, Vars: vars(root, "ci", "x", "2")}, Forks: 10}
		}},
		"down": {[]string{"down"}, "run", func(root string) engine.Options {
			return engine.Options{Inputs: engine.Inputs{Spec: "lab", Adopt: true, StopAfter: "cleanup", CleansUp: true, Vars: vars(root, "lab")}, Forks: 10}
		}},
		"status": {[]string{"status", "--forks", "2"}, "plan", func(root string) engine.Options {
			return engine.Options{Inputs: engine.Inputs{Spec: "lab", Adopt: true, Vars: vars(root, "lab")}, Forks: 2}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, append([]string{"lab"}, tc.args...)...)
			if diff := cmp.Diff(tc.want(filepath.Dir(p.Cwd)), given(t, p)); diff != "" {
				t.Error(diff)
			}
			if p.called != tc.called {
				t.Errorf("used the engine's %s, want %s", p.called, tc.called)
			}
		})
	}
}

func TestLabUpBuildsTheArtifactsFirst(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "lab", "up", "--var", "lab_subnet=10.1.0.0/24")
	var specs []string
	p.during = func(_ context.Context, o engine.Options) {
		specs = append(specs, o.Spec)
		if o.Spec == "lab-artifacts" && len(o.Vars) != 1 {
			t.Errorf("the artifacts got the variables %v", o.Vars)
		}
	}
	if code := p.run(); code != exit.OK {
		t.Fatalf("got exit code %d", code)
	}
	if diff := cmp.Diff([]string{"lab-artifacts", "lab"}, specs); diff != "" {
		t.Error(diff)
	}

	p = newProgram(t, "lab", "up", "--drivers", "libvirt, podman")
	p.during = func(_ context.Context, o engine.Options) {
		want := map[string]string{"lab-artifacts": "libvirt,podman"}[o.Spec]
		if got := o.Vars["lab_drivers"]; got != want {
			t.Errorf("%s got the drivers %q, want %q", o.Spec, got, want)
		}
	}
	if code := p.run(); code != exit.OK {
		t.Fatalf("got exit code %d", code)
	}

	for environ, want := range map[string]string{"KINIT_ARTIFACTS=auto": "download", "KINIT_ARTIFACTS=build": "build"} {
		args := []string{"lab", "up", "--var", "kubernetes_url=https://m/k", "--var", "lab_subnet=10.1.0.0/24", "--var-file", "pins.json"}
		if want == "download" {
			args = append(args, "--artifacts", "download")
		}
		p = newProgram(t, args...)
		p.Environ = append(p.Environ, environ)
		got := map[string]engine.Options{}
		p.during = func(_ context.Context, o engine.Options) { got[o.Spec] = o }
		if code := p.run(); code != exit.OK {
			t.Fatalf("got exit code %d", code)
		}
		a, lab := got["lab-artifacts"], got["lab"]
		if a.Vars["lab_artifacts"] != want || a.Vars["kubernetes_url"] != "https://m/k" || a.Vars["lab_subnet"] != "" || !slices.Equal(a.VarFiles, []string{"pins.json"}) {
			t.Errorf("%q: the artifacts got %v and the files %v, want %s", environ, a.Vars, a.VarFiles, want)
		}
		if _, ok := lab.Vars["kubernetes_url"]; ok || lab.Vars["lab_artifacts"] != "" || lab.Vars["lab_subnet"] != "10.1.0.0/24" || len(lab.VarFiles) > 0 {
			t.Errorf("%q: the lab got %v and the files %v", environ, lab.Vars, lab.VarFiles)
		}
	}

	p = newProgram(t, "lab", "up", "--artifacts", "fetch")
	if code := p.run(); code != exit.Usage || !strings.Contains(p.err.String(), "--artifacts must be one of auto, download, build, \"fetch\" was given") {
		t.Errorf("got exit code %d: %s", code, p.err.String())
	}

	p = newProgram(t, "lab", "up")
	p.report.Results = []engine.Result{{Status: event.Failed}}
	if code := p.run(); code != exit.Failed || p.options.Spec != "lab-artifacts" {
		t.Errorf("after a failure got exit code %d and the spec %s", code, p.options.Spec)
	}
}

func TestInventories(t *testing.T) {
	t.Parallel()
	const lab, own = "home/.config/kinit/inventories/lab.hcl", "work/inventory.hcl"
	for name, tc := range map[string]struct {
		files   []string
		environ string
		args    []string
		want    []string // a name that begins with a slash is below the temporary folder
	}{
		"none":                           {nil, "", nil, nil},
		"the one in the folder":          {[]string{own}, "", nil, []string{"inventory.hcl"}},
		"those of labs":                  {[]string{lab, "home/.config/kinit/inventories/notes.txt"}, "", nil, []string{"/" + lab}},
		"both":                           {[]string{own, lab}, "", nil, []string{"inventory.hcl", "/" + lab}},
		"the variable alone":             {[]string{own, lab}, "KINIT_INVENTORY=a.hcl:b.hcl", nil, []string{"a.hcl", "b.hcl"}},
		"the flag alone":                 {[]string{own, lab}, "KINIT_INVENTORY=a.hcl", []string{"-i", "c.hcl"}, []string{"c.hcl"}},
		"another config folder":          {[]string{lab, "cfg/kinit/inventories/x.hcl"}, "XDG_CONFIG_HOME=%/cfg", nil, []string{"/cfg/kinit/inventories/x.hcl"}},
		"a relative config folder isn't": {[]string{lab}, "XDG_CONFIG_HOME=cfg", nil, []string{"/" + lab}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newProgram(t, append([]string{"validate", "s"}, tc.args...)...)
			root := filepath.Dir(p.Cwd)
			for _, file := range tc.files {
				p.write(t, file)
			}
			p.Environ = append(p.Environ, replaceRoot(tc.environ, root))
			var want []string
			for _, file := range tc.want {
				if file[0] == '/' {
					file = root + file
				}
				want = append(want, file)
			}
			if diff := cmp.Diff(want, given(t, p).Inventories); diff != "" {
				t.Error(diff)
			}
			for _, command := range []string{"run", "plan", "validate"} {
				p.Args[1] = command
				var reserved []string
				for _, file := range want {
					if command != "validate" && strings.Contains(file, "/kinit/inventories/") {
						reserved = append(reserved, file)
					}
				}
				if got := given(t, p).Reserved; !slices.Equal(got, reserved) {
					t.Errorf("%s reserves %q, want %q", command, got, reserved)
				}
			}
		})
	}
}

package engine_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"kinit/engine"
	"kinit/test/executable"
)

// kept saves a plan, and returns it as it is read from its file.
func kept(t *testing.T, o engine.Options) *engine.Saved {
	t.Helper()
	saved, report := engine.Save(t.Context(), o)
	if saved == nil {
		t.Fatalf("no plan: %s", problems(report))
	}
	text, err := json.Marshal(saved)
	if err != nil {
		t.Fatal(err)
	}
	read := &engine.Saved{}
	if err := json.Unmarshal(text, read); err != nil {
		t.Fatal(err)
	}
	return read
}

func TestASavedPlanIsAppliedWithTheOptionsThatShapedIt(t *testing.T) {
	t.Parallel()
	t.Run("limit", func(t *testing.T) {
		t.Parallel()
		o := options(t, `
task "copy" "each" {
  hosts   = run.hosts
  dest    = "TMP/${host.name}"
  content = "x\n"
}
`)
		write(t, filepath.Join(o.Cwd, "hosts.hcl"), "host \"a\" { transport = \"local\" }\nhost \"b\" { transport = \"local\" }\n")
		o.Hosts, o.Inventories = nil, []string{"hosts.hcl"}
		applied := o
		o.Limit = []string{"b"}
		r := engine.Apply(t.Context(), applied, kept(t, o))
		equal(t, "problems", problems(r), "")
		equal(t, "files", content(t, o, "a")+content(t, o, "b"), "x\n")
	})
	t.Run("adopt", func(t *testing.T) {
		t.Parallel()
		owner := ownerName(t)
		alice, bob := controlled(t, owner, aFile), controlled(t, owner, allGoes)
		went(t, engine.Run(t.Context(), alice))
		applied := bob
		bob.Adopt = true
		went(t, engine.Apply(t.Context(), applied, kept(t, bob)))
		equal(t, "file", content(t, alice, "alice.conf"), "")
	})
	t.Run("fresh facts", func(t *testing.T) {
		t.Parallel()
		o := withFacts(t)
		equal(t, "problems", problems(engine.Run(t.Context(), o)), "")
		renameKept(t, o)
		applied := o
		o.FreshFacts = true
		r := engine.Apply(t.Context(), applied, kept(t, o))
		equal(t, "problems", problems(r), "")
		equal(t, "changes", r.Changes(), 0)
	})
}

func TestApplyingASavedPlanGivesInventoryScriptsTheirEnvironment(t *testing.T) {
	t.Parallel()
	o := options(t, "task \"command\" \"x\" {\n  hosts = run.hosts\n  argv  = [\"true\"]\n}\n")
	script := filepath.Join(o.Cwd, "hosts.sh")
	text := "#!/bin/sh\necho \"{\\\"all\\\": {\\\"hosts\\\": [\\\"$NAME\\\"]}, \\\"_meta\\\": {\\\"hostvars\\\": {\\\"$NAME\\\": {\\\"ansible_connection\\\": \\\"local\\\"}}}}\"\n"
	executable.Write(t, script, text)
	o.Hosts, o.Inventories, o.Environ = nil, []string{"hosts.sh"}, []string{"PATH=" + os.Getenv("PATH"), "NAME=web1", "KINIT_VAR_other=1"}
	r := engine.Apply(t.Context(), o, kept(t, o))
	equal(t, "problems", problems(r), "")
	equal(t, "results", statuses(r), map[string]string{"command.x[\"web1\"]": "changed"})
}

// TestASavedPlanOfEditsOfOneFileIsApplied: each edit of the plan is one of the file as it was then.
func TestASavedPlanOfEditsOfOneFileIsApplied(t *testing.T) {
	t.Parallel()
	o := options(t, `
task "line_in_file" "one" {
  host     = "localhost"
  for_each = ["a", "b", "c"]
  path     = "TMP/lines"
  create   = true
  line     = each.key
}
`)
	saved := kept(t, o)
	equal(t, "problems", problems(engine.Apply(t.Context(), o, saved)), "")
	equal(t, "length of the file", len(content(t, o, "lines")), len("a\nb\nc\n"))
}

// A dry run does not come to what handles a failure, so no saved plan has it.
func TestASavedPlanRollsBackWhatFails(t *testing.T) {
	t.Parallel()
	o := options(t, `
block "deploy" {
  host = "localhost"
  task "command" "install" {
    argv = ["false"]
  }
  task "copy" "back" {
    on_failure = true
    dest       = "TMP/back"
    content    = "x\n"
    notify     = [handler.command.first]
  }
  task "copy" "tell" {
    always  = true
    when    = task.copy.back.changed
    dest    = "TMP/tell"
    content = "x\n"
  }
}
handler "command" "first" {
  argv   = ["touch", "TMP/first"]
  notify = [handler.command.second]
}
handler "command" "second" {
  argv = ["touch", "TMP/second"]
}
`)
	r := engine.Apply(t.Context(), o, kept(t, o))
	equal(t, "results", statuses(r), map[string]string{
		"command.install": "failed", "copy.back": "changed", "copy.tell": "changed",
		`handler.command.first["localhost"]`: "changed", `handler.command.second["localhost"]`: "changed",
	})
	equal(t, "files", content(t, o, "back")+content(t, o, "tell"), "x\nx\n")
}

package faults

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/event"
	"kinit/engine/secret"
	"kinit/modules"
	"kinit/test/winsim/endpoint"
	"kinit/test/winsim/nodetest"
	"kinit/test/winsim/wsman"
)

// The transports that reach a site's node.
const (
	basic = "basic"
	ntlm  = "ntlm"
	ssh   = "ssh"
)

// patience is how long a run may take before it is said to hang.
const patience = 5 * time.Minute

// site is a simulated node and the folder from which playbooks are run on it.
type site struct {
	node   *nodetest.Node
	folder string
	name   string // of the node in the inventory
}

// newSite boots a node that the inventory reaches in one way.
func newSite(t *testing.T, way string) *site {
	t.Helper()
	node := nodetest.Start(t)
	return &site{node: node, folder: newFolder(t, node, way), name: "win1"}
}

// newFolder has an inventory with the node, and what the way in needs.
func newFolder(t *testing.T, n *nodetest.Node, way string) string {
	t.Helper()
	folder := t.TempDir()
	connection := map[string]string{
		basic: fmt.Sprintf("transport = \"winrm\"\nport = %d\npassword = file(\"password\")\ncertificate = file(\"trust\")", n.HTTPS),
		ntlm:  fmt.Sprintf("transport = \"winrm\"\nport = %d\npassword = file(\"password\")\nauth = \"ntlm\"", n.HTTP),
		ssh:   fmt.Sprintf("os = \"windows\"\nport = %d\nhost_keys = [trimspace(file(\"hostkey\"))]\nidentity_file = \"key\"", n.SSH),
	}[way]
	for name, text := range map[string]string{
		"password": nodetest.Password, "trust": n.Trust, "key": n.Key, "hostkey": n.HostKey,
		"inventory.hcl": fmt.Sprintf("host \"win1\" {\naddress = \"127.0.0.1\"\nuser = %q\n%s\n}\n", nodetest.User, connection),
	} {
		write(t, folder, name, text)
	}
	return folder
}

func write(t *testing.T, folder, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// put makes a file of the machine.
func (s *site) put(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := s.node.Files.WriteFile(path, content); err != nil {
		t.Fatal(err)
	}
}

// watcher is called with each event.
type watcher func(event.Event)

func (w watcher) Emit(e event.Event) { w(e) }

// run runs one task on the node: a module and its arguments. A run that does not end in
// time fails the test. watch may be nil.
func (s *site) run(t *testing.T, module, arguments string, watch func(event.Event)) engine.Result {
	t.Helper()
	write(t, s.folder, "site.hcl", fmt.Sprintf("task %q \"it\" {\nhost = %q\n%s\n}\n", module, s.name, arguments))
	o := engine.Options{
		Inputs: engine.Inputs{
			Spec: filepath.Join(s.folder, "site.hcl"), Hosts: []string{s.name},
			Inventories: []string{filepath.Join(s.folder, "inventory.hcl")}, Cwd: s.folder,
		},
		Home: s.folder, CacheDir: s.folder, Kinds: modules.All(), Redactor: &secret.Redactor{},
	}
	if watch != nil {
		o.Events = watcher(watch)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	report := engine.Run(ctx, o)
	if ctx.Err() != nil {
		t.Fatalf("the run of %s hangs: %+v", module, report.Results)
	}
	if len(report.Results) != 1 {
		t.Fatalf("%d results of %s: %v", len(report.Results), module, report.Diagnostics.Err())
	}
	return report.Results[0]
}

// during has messages over HTTPS go wrong in a run, from the task's first step until the
// task has ended.
func (s *site) during(rule wsman.Rule) func(event.Event) {
	armed := false
	return func(e event.Event) {
		switch {
		case e.Kind == event.StepStarted && !armed:
			armed = s.node.Endpoint.Plan(endpoint.HTTPS, rule)
		case e.Kind == event.TaskFinished:
			s.node.Endpoint.Unplan(endpoint.HTTPS)
		}
	}
}

// want runs one task and compares its end.
func (s *site) want(t *testing.T, module, arguments string, want event.Status) {
	t.Helper()
	if got := s.run(t, module, arguments, nil); got.Status != want {
		t.Errorf("%s is %s, want %s: %s %q", module, got.Status, want, got.Message, got.Steps)
	}
}

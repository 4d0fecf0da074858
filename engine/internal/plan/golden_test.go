package plan

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/tools/txtar"

	"kinit/engine/diag"
	"kinit/engine/internal/eval"
	"kinit/engine/internal/inventory"
	"kinit/engine/internal/plan/dag"
	"kinit/engine/internal/plan/decode"
	"kinit/engine/internal/spec"
	"kinit/engine/internal/topology"
	"kinit/engine/secret"
	"kinit/test/golden"
)

// TestGolden builds the plan of each archive in testdata. An archive has spec.hcl
// and what that needs; "options" has a line for each option; what comes of it is
// plan.golden or diags.golden. Files below builtin/ are those inside the program.
func TestGolden(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(strings.ReplaceAll(name, "_", " "), func(t *testing.T) {
			t.Parallel()
			testGolden(t, file)
		})
	}
}

func testGolden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	dir := unpack(t, archive)
	p, diags := buildIn(t, dir, options(archive))
	again, diagsAgain := buildIn(t, dir, options(archive))
	name, got := "plan.golden", ""
	if p == nil || len(diags) > 0 {
		name, got = "diags.golden", showDiags(diags)
	} else {
		got = showPlan(p)
		if diff := cmp.Diff(got, showPlan(again)); diff != "" {
			t.Errorf("a second build differs: %s", diff)
		}
	}
	if diff := cmp.Diff(showDiags(diags), showDiags(diagsAgain)); diff != "" {
		t.Errorf("a second build differs: %s", diff)
	}
	if golden.Rewrite() {
		rewrite(t, file, archive, name, got)
		return
	}
	if diff := cmp.Diff(goldens(archive), map[string]string{name: got}); diff != "" {
		t.Error(diff)
	}
}

func unpack(t *testing.T, archive *txtar.Archive) string {
	dir := t.TempDir()
	for _, f := range archive.Files {
		path := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// options reads lines such as "hosts a,b".
func options(archive *txtar.Archive) map[string][]string {
	all := map[string][]string{"spec": {"spec.hcl"}}
	for _, f := range archive.Files {
		if f.Name != "options" {
			continue
		}
		for line := range strings.Lines(string(f.Data)) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
			if name == "spec" {
				all[name] = nil
			}
			all[name] = append(all[name], value)
		}
	}
	return all
}

func goldens(archive *txtar.Archive) map[string]string {
	all := map[string]string{}
	for _, f := range archive.Files {
		if strings.HasSuffix(f.Name, ".golden") {
			all[f.Name] = string(f.Data)
		}
	}
	return all
}

func rewrite(t *testing.T, file string, archive *txtar.Archive, name, text string) {
	archive.Files = slices.DeleteFunc(archive.Files, func(f txtar.File) bool { return strings.HasSuffix(f.Name, ".golden") })
	archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(text)})
	if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}

// first is the value of an option, empty without it.
func first(values []string) string {
	if len(values) == 0 {
		return ""
	}
	return values[0]
}

// buildIn does what the engine does before a run.
func buildIn(t *testing.T, dir string, opts map[string][]string) (*Plan, diag.List) {
	return buildWith(t, dir, opts, nil)
}

// buildWith is buildIn with one who learns of secrets.
func buildWith(t *testing.T, dir string, opts map[string][]string, redactor *secret.Redactor) (*Plan, diag.List) {
	src := spec.Sources{Cwd: dir, Home: "/home/user", Builtin: os.DirFS(filepath.Join(dir, "builtin"))}
	sp, diags := spec.Load(src, first(opts["spec"]))
	if diags.HasErrors() {
		return nil, diags
	}
	isrc := inventory.Sources{Cwd: dir, Home: dir}
	var files []string
	if _, err := os.Stat(filepath.Join(dir, "inventory.hcl")); err == nil {
		files = []string{"inventory.hcl"}
	}
	inv, more := inventory.Load(t.Context(), isrc, files)
	diags = append(diags, more...)
	hosts, more := inv.Select(t.Context(), isrc, opts["hosts"])
	if diags = append(diags, more...); diags.HasErrors() {
		return nil, diags
	}
	in := evalInput(sp, src, inv, hosts, opts)
	in.Redactor = redactor
	scope, more := eval.New(in)
	diags = append(diags, more...)
	var topo *topology.Topology
	value := cty.NilVal
	if sp.Cluster != nil && !diags.HasErrors() {
		cluster, more := topology.Decode(sp.Cluster, nil, scope.Context(sp.Cluster.Range.Filename))
		if diags = append(diags, more...); diags.HasErrors() {
			return nil, diags
		}
		if topo, more = topology.Expand(topology.Input{Cluster: cluster, Hosts: hosts, Inventory: inv}); more.HasErrors() {
			return nil, append(diags, more...)
		}
		value = topo.Value()
	}
	if diags = append(diags, scope.SetCluster(value)...); diags.HasErrors() {
		return nil, diags
	}
	p, more := Build(Input{
		Spec: sp, Scope: scope, Inventory: inv, Hosts: hosts, Topology: topo, Kinds: fakeKinds(),
		Selection: Selection{StopAfter: first(opts["stop-after"]), StartAt: first(opts["start-at"]), Only: opts["only"], Skip: opts["skip"], Tags: opts["tags"], SkipTags: opts["skip-tags"], Limit: opts["limit"]},
	})
	return p, append(diags, more...)
}

func evalInput(sp *spec.Spec, src spec.Sources, inv *inventory.Inventory, hosts []*inventory.Host, opts map[string][]string) eval.Input {
	in := eval.Input{
		Spec: sp, Sources: src, Vars: map[string]string{}, Inventory: inv.Vars, Hosts: inventory.Value(hosts), Groups: inv.GroupsValue(hosts),
		Run: eval.Run{StopAfter: first(opts["stop-after"])},
	}
	for _, h := range hosts {
		in.Run.Hosts = append(in.Run.Hosts, h.Name)
	}
	for _, pair := range opts["var"] {
		name, value, _ := strings.Cut(pair, "=")
		in.Vars[name] = value
	}
	return in
}

func showDiags(diags diag.List) string {
	var out strings.Builder
	for _, d := range diags {
		if d.Subject != nil {
			fmt.Fprintf(&out, "%s: ", d.Subject)
		}
		fmt.Fprintf(&out, "%s\n    %s\n", d.Summary, d.Detail)
		if d.Address != "" {
			fmt.Fprintf(&out, "    in %s\n", d.Address)
		}
	}
	return out.String()
}

func showPlan(p *Plan) string {
	var out bytes.Buffer
	if p.Cluster != "" {
		fmt.Fprintf(&out, "cluster %s\n", p.Cluster)
	}
	if len(p.Stages) > 0 {
		fmt.Fprintf(&out, "stages %s\n", strings.Join(p.Stages, " "))
	}
	showSection(&out, "main", p.Main)
	showSection(&out, "on failure", p.OnFailure)
	showSection(&out, "always", p.Always)
	for _, key := range p.Main.Graph.Keys() {
		if _, g := p.Main.At(key); g != nil && g.MaxFail > 0 || strings.Contains(key.Name, ".batch") && g != nil {
			fmt.Fprintf(&out, "gate %s (%s) after %s, max_fail %d\n", key, g.Label, strings.Join(addresses(g.Tasks), " "), g.MaxFail)
		}
	}
	for _, declared := range p.refs.Set.Hosts.Declared {
		h := p.refs.Host(declared.Name)
		settings, _, ok := p.refs.Settings(h, nil)
		fmt.Fprintf(&out, "host %s", h.Name)
		if ok {
			fmt.Fprintf(&out, " address=%s port=%d user=%s", settings.Address, settings.Port, settings.User)
		}
		fmt.Fprintf(&out, " via=%s needs=%v\n", h.Via, p.HostNeeds(h.Name))
	}
	for _, c := range p.Checks {
		fmt.Fprintf(&out, "%s needs=%v\n", c.Address, c.Needs)
	}
	for _, o := range p.Outputs {
		fmt.Fprintf(&out, "output %s needs=%v\n", o.Name, o.Needs)
	}
	return out.String()
}

func showSection(out *bytes.Buffer, name string, s Section) {
	if len(s.Tasks) == 0 {
		return
	}
	fmt.Fprintf(out, "%s:\n", name)
	for _, t := range s.Tasks {
		fmt.Fprintf(out, "  %s on %s", t.Address, t.Host)
		if t.Stage != "" {
			fmt.Fprintf(out, " in %s", t.Stage)
		}
		if t.Retry.Attempts > 1 {
			fmt.Fprintf(out, " attempts=%d delay=%s", t.Retry.Attempts, t.Retry.Delay)
		}
		if t.Timeout > 0 {
			fmt.Fprintf(out, " timeout=%s", t.Timeout)
		}
		if t.Throttle > 0 {
			fmt.Fprintf(out, " throttle=%d", t.Throttle)
		}
		if t.Become != nil {
			fmt.Fprintf(out, " become=%q by %q", t.Become.User, t.Become.Method)
		}
		if t.Skip != "" {
			fmt.Fprintf(out, " skip=%q", t.Skip)
		}
		fmt.Fprintln(out)
		showTask(out, t, s)
	}
}

// needs is what a task depends on or follows directly: tasks, and the begin and end of
// stages and batches.
func needs(s Section, address string) []string {
	var all []string
	for _, need := range s.Graph.Needs(TaskKey(address)) {
		means := []Key{need}
		if need.Whole() {
			means = s.Graph.Needs(need)
		}
		for _, one := range means {
			if text := one.String(); !slices.Contains(all, text) {
				all = append(all, text)
			}
		}
	}
	return all
}

func addresses(tasks []*dag.Task) []string {
	var all []string
	for _, t := range tasks {
		all = append(all, t.Address)
	}
	return all
}

func showTask(out *bytes.Buffer, t *Task, s Section) {
	after := slices.DeleteFunc(needs(s, t.Address), func(key string) bool {
		return strings.HasPrefix(key, "stage.") && !strings.Contains(key, ".batch")
	})
	if len(after) > 0 {
		fmt.Fprintf(out, "    after %s\n", strings.Join(after, " "))
	}
	if len(t.Watches) > 0 {
		fmt.Fprintf(out, "    watches %s\n", strings.Join(addresses(t.Watches), " "))
	}
	if len(t.Needs) > 0 {
		fmt.Fprintf(out, "    needs %s\n", strings.Join(t.Needs, " "))
	}
	if t.Skip != "" {
		return
	}
	made, _, known, _ := t.decode(t.context(nil), decode.NewShared(t.Block.Namespace.Differs))
	if !known {
		fmt.Fprintln(out, "    arguments are known later")
		return
	}
	fmt.Fprintf(out, "    %s\n", showArguments(made))
}

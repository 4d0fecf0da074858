package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kinit/test/program"
)

// spec is a cluster's life on this machine: it makes a file, and removes it at clean-up.
const spec = `spec "s" {
  owner = "real-test"
}
stage "cleanup" {}
stage "nodes" {
  after = ["cleanup"]
}
variable "password" {
  type      = string
  sensitive = true
  default   = ""
}
task "sweep" "owned" {
  stage = "cleanup"
  when  = run.stop_after == "cleanup"
  hosts = run.hosts
  all   = true
}
task "copy" "file" {
  stage   = "nodes"
  hosts   = run.hosts
  dest    = "DIR/made"
  content = "${var.password}\n"
}
output "leftovers" {
  value = run.stop_after == "cleanup" ? task.sweep.owned["localhost"].count : null
}
`

// unpack reads the archive: name → content.
func unpack(t *testing.T, path string) map[string]string {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	zipped, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for archive := tar.NewReader(zipped); ; {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		all[header.Name] = string(content)
	}
}

func TestTheRealProgramOnThisMachine(t *testing.T) {
	dir := t.TempDir()
	kinit := program.Build(t)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(dir, "config"))
	file := filepath.Join(dir, "s.hcl")
	if err := os.WriteFile(file, []byte(strings.ReplaceAll(spec, "DIR", dir)), 0o600); err != nil {
		t.Fatal(err)
	}
	archive := filepath.Join(dir, "real.tar.gz")
	var out bytes.Buffer
	code := run(t.Context(), []string{"-kinit", kinit, "-spec", file, "-hosts", "localhost", "-cluster", "", "-out", archive, "--", "--var", "password=correct-horse"}, &out)
	all := unpack(t, archive)
	var summary struct{ Expectations []result }
	if err := json.Unmarshal([]byte(all["real/summary.json"]), &summary); err != nil {
		t.Fatal(err)
	}
	want := map[string]verdict{
		"validate": met, "deploy": met, "again": met, "status": met, "clean-up": met,
		"workload": unseen, "kvm": unseen, "downloads": unseen,
	}
	failed := false
	for _, r := range summary.Expectations {
		failed = failed || r.Verdict == notMet
		if want[r.ID] != "" && r.Verdict != want[r.ID] {
			t.Errorf("%s is %s (%s), want %s", r.ID, r.Verdict, r.Seen, want[r.ID])
		}
	}
	if len(summary.Expectations) != len(expectations()) {
		t.Errorf("%d expectations, want %d", len(summary.Expectations), len(expectations()))
	}
	if failed != (code == 1) {
		t.Errorf("exit code %d, and one is not met: %t", code, failed)
	}
	for _, name := range []string{"summary.txt", "01-version.txt", "02-doctor.txt", "04-deploy.txt", "04-deploy.tar.gz"} {
		if all["real/"+name] == "" {
			t.Errorf("%s is not in the archive", name)
		}
	}
	if !strings.Contains(all["real/08-inspect-localhost.txt"], "\nkernel: ") {
		t.Errorf("the hypervisor told nothing: %s", all["real/08-inspect-localhost.txt"])
	}
	for name, content := range all {
		if strings.HasSuffix(name, ".tar.gz") {
			continue // kinit's own tests search it
		}
		if strings.Contains(content, "correct-horse") {
			t.Errorf("%s has the secret", name)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "made")); !os.IsNotExist(err) {
		t.Errorf("the file is left: %v", err)
	}
	if t.Failed() {
		t.Log(out.String())
	}
}

// told is a session in which a step printed something.
func told(name, text string, events ...event) *session {
	made := &step{Name: name, events: events}
	made.stdout.WriteString(text)
	return &session{cluster: "real", hosts: []string{"a"}, steps: []*step{made}}
}

func arguments(values ...string) event {
	e := event{Kind: "task_arguments", Task: "t", Host: "a"}
	for i := 0; i < len(values); i += 2 {
		e.Values = append(e.Values, struct {
			Name string `json:"name"`
			Text string `json:"text"`
		}{values[i], `"` + values[i+1] + `"`})
	}
	return e
}

// fetched is the log of a run with a task of the module, which changed something.
func fetched(module string, values ...string) []event {
	var planned event
	text := `{"kind": "run_planned", "plan": {"tasks": [{"address": "t", "module": "` + module + `", "host": "a"}]}}`
	if err := json.Unmarshal([]byte(text), &planned); err != nil {
		panic(err)
	}
	return []event{planned, arguments(values...), {Kind: "task_finished", Task: "t", Host: "a", Status: "changed"}}
}

func TestVerdicts(t *testing.T) {
	t.Parallel()
	sum := func(changed int, left string) event {
		return event{Kind: "summary", Counts: map[string]int{"changed": changed, "ok": 3}, Outputs: map[string]string{"leftovers": left}}
	}
	finding := func(level string) string {
		return `{"kind":"finding","host":"a","probe":"kvm","level":"` + level + `","detail":"there is no /dev/kvm"}` + "\n"
	}
	for _, c := range []struct {
		check func(*session) (verdict, string)
		s     *session
		want  verdict
		seen  string
	}{
		{doctor, told("doctor", finding("ok")+finding("note")), met, "2 probes"},
		{doctor, told("doctor", finding("ok")+finding("fail")), notMet, "a: kvm: there is no /dev/kvm"},
		{doctor, told("doctor", "unreachable\n"), unseen, "exit code 0, and no findings"},
		{again, told("again", "", sum(0, "")), met, "0 of 3 tasks changed something"},
		{again, told("again", "", sum(2, "")), notMet, "2 tasks changed something"},
		{again, told("again", ""), notMet, "exit code 0"},
		{again, told("deploy", ""), unseen, "the cluster was not deployed"},
		{nodesAndPods, told("workload", "node a True\npod kube-system/dns Running true true\npod default/job Succeeded false\n"), met, "1 nodes, 2 pods"},
		{nodesAndPods, told("workload", "node a True\nnode b False\npod default/x Running true false\npod default/y Pending\n"), notMet, "node b, pod default/x Running true false, pod default/y Pending"},
		{nodesAndPods, told("workload", "no kubectl\n"), unseen, "kubectl ended with 0; clusters without Kubernetes have none"},
		{kvm, told("inspect a", "domain: real-controller-01 kvm\ndomain: theirs qemu\n"), met, "real-controller-01"},
		{kvm, told("inspect a", "domain: real-controller-01 kvm\ndomain: real-compute-01 qemu\n"), notMet, "emulated: real-compute-01 on a"},
		{kvm, told("inspect a", "domain: theirs kvm\n"), unseen, "no guest of the cluster was running"},
		{datapath, told("inspect a", "datapath: system\ndpif: system@ovs-system\n"), met, "a system@ovs-system"},
		{datapath, told("inspect a", "datapath: \"netdev\"\ndpif: netdev@ovs-netdev\n"), notMet, `br-int is switched in userspace: a "netdev"`},
		{datapath, told("inspect a", "kernel: 6.1\n"), unseen, "no hypervisor told the datapath of br-int"},
		{datapath, told("inspect a", "datapath: system\n"), unseen, "no bridge with a datapath was shown"},
		{downloads, told("deploy", "", fetched("download", "url", "https://site.example/x", "sha256", "ab")...), met, "1 files and images"},
		{downloads, told("deploy", "", fetched("download", "url", "file:///srv/x", "sha256", "ab")...), notMet, "t: it came from file:///srv/x"},
		{downloads, told("deploy", "", fetched("download", "url", "https://site.example/x", "sha256_url", "https://site.example/x.sum")...), notMet, "t: https://site.example/x was held to no digest"},
		{downloads, told("deploy", "", fetched("podman_image", "name", "docker.io/library/nginx@sha256:ab")...), met, "1 files and images"},
		{downloads, told("deploy", "", fetched("podman_image", "name", "localhost/x:1", "source", "/srv/x.tar")...), notMet, "t: localhost/x:1 came from /srv/x.tar"},
		{downloads, told("deploy", "", fetched("podman_image", "name", "docker.io/library/nginx:1")...), notMet, "t: docker.io/library/nginx:1 was held to no digest"},
		{downloads, told("deploy", "", fetched("copy", "dest", "/x")...), unseen, "the deployment fetched nothing: it was there already"},
		{cleanUp, told("clean-up", "", sum(5, "0")), met, "0 objects are left"},
		{cleanUp, told("clean-up", "", sum(5, "2")), notMet, "2 objects are left"},
		{cleanUp, told("clean-up", "", sum(5, "")), unseen, "the spec has no output leftovers"},
	} {
		if got, seen := c.check(c.s); got != c.want || seen != c.seen {
			t.Errorf("%q (%s), want %q (%s)", got, seen, c.want, c.seen)
		}
	}
}

func TestValuesOfVariablesAndPrivateKeysAreMasked(t *testing.T) {
	t.Parallel()
	got := shown([]string{"run", "--var", "token=abc", "--var=word=a=b", "--set", "cluster.name=real"})
	if want := []string{"run", "--var", "token=…", "--var=word=…", "--set", "cluster.name=real"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	key := "a\n-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\nb"
	if got, want := masked(key), "a\n(a private key)\nb"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// docs/real.md is what people read.
func TestThePageHasEveryExpectation(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../docs/real.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) > 4 && strings.HasPrefix(line, "| `") {
			rows = append(rows, strings.Trim(cells[1], " `")+" "+strings.TrimSpace(cells[2]))
		}
	}
	var want []string
	for _, e := range expectations() {
		want = append(want, e.id+" "+e.what)
	}
	if !slices.Equal(rows, want) {
		t.Errorf("the table of docs/real.md has\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}

func TestMistakesOfTheCommandLine(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "Error: -hosts is missing, want the hypervisors, as in -hosts nyctea,tyto\n"},
		{[]string{"-hosts", "a", "-kinit", "no/such/kinit"}, "Error: find kinit: stat no/such/kinit: no such file or directory; 'make build' makes it\n"},
	} {
		var out bytes.Buffer
		if code := run(t.Context(), c.args, &out); code != 2 || out.String() != c.want {
			t.Errorf("code %d, %q, want 2, %q", code, out.String(), c.want)
		}
	}
}

func TestTheDoctorGetsTheInventoriesAmongTheFlags(t *testing.T) {
	t.Parallel()
	got := inventories([]string{"-i", "a.hcl", "--var-file", "pins.json", "--inventory=b.hcl", "--var", "x=-i", "--inventory", "c.hcl"})
	if want := []string{"-i", "a.hcl", "--inventory=b.hcl", "--inventory", "c.hcl"}; !slices.Equal(got, want) {
		t.Errorf("inventories %q, want %q", got, want)
	}
}

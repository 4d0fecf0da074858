package plan

import (
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"
	"golang.org/x/tools/txtar"

	"kinit/engine/internal/inventory"
	"kinit/engine/secret"
)

// build makes the plan of an archive's text.
func build(t *testing.T, text string) *Plan {
	t.Helper()
	archive := txtar.Parse([]byte(text))
	p, diags := buildIn(t, unpack(t, archive), options(archive))
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	return p
}

const guestAndFile = `
-- spec.hcl --
task "guest" "node" {
  for_each = toset(["a", "b"])
  name     = each.key
}
task "file" "conf" {
  path    = "/etc/${task.guest.node["a"].id}"
  content = task.guest.node["a"].ip
}
task "file" "list" {
  path    = "/list"
  content = join(",", [for n in task.guest.node : coalesce(n.ip, "none")])
}
task "file" "evidence" {
  always  = true
  path    = "/evidence"
  content = try(coalesce(task.guest.node["a"].ip, "none"), "failed")
}
host "guest" {
  address     = task.guest.node["a"].ip
  private_key = task.guest.node["a"].key
  host_keys   = ["ssh-ed25519 AAAA"]
  become      = true
}
task "note" "inside" {
  host = "guest"
  text = "on ${host.address}"
}
check "address" {
  assert {
    condition     = task.guest.node["a"].ip == "10.0.0.1"
    error_message = "The address is ${task.guest.node["a"].ip}."
  }
}
output "address" {
  value = task.guest.node["a"].ip
}
`

func returned(ip string) map[string]cty.Value {
	return map[string]cty.Value{"id": cty.StringVal("1"), "ip": cty.StringVal(ip), "key": cty.StringVal("PRIVATE")}
}

// decodesAll checks the arguments of tasks by their addresses.
func decodesAll(t *testing.T, p *Plan, values *Values, want map[string]string) {
	t.Helper()
	for address, arguments := range want {
		made, _, diags := p.Main.Task(address).Decode(values)
		if len(diags) > 0 {
			t.Fatal(showDiags(diags))
		}
		if diff := cmp.Diff(arguments, showArguments(made)); diff != "" {
			t.Errorf("%s: %s", address, diff)
		}
	}
}

func TestDecodeUsesValuesOfFinishedTasks(t *testing.T) {
	t.Parallel()
	p, values := build(t, guestAndFile), &Values{}
	values.Set(`task.guest.node["a"]`, returned("10.0.0.1"))
	values.Set(`task.guest.node["b"]`, nil)
	tests := map[string]string{
		"task.file.conf":   `path="/etc/1" content="10.0.0.1" mode="0644"`,
		"task.file.list":   `path="/list" content="10.0.0.1,none" mode="0644"`,
		"task.note.inside": `text="on 10.0.0.1"`,
	}
	decodesAll(t, p, values, tests)
}

func TestDecodeMakesANewTaskEachTime(t *testing.T) {
	t.Parallel()
	task := build(t, guestAndFile).Main.Task(`task.guest.node["a"]`)
	one, _, _ := task.Decode(&Values{})
	two, _, _ := task.Decode(&Values{})
	if one == two {
		t.Error("both are the same")
	}
}

func TestPendingNamesWhatIsMissingOrUnknown(t *testing.T) {
	t.Parallel()
	p, values := build(t, guestAndFile), &Values{}
	conf, inside := p.Main.Task("task.file.conf"), p.Main.Task("task.note.inside")
	node := []string{`task.guest.node["a"]`}
	for _, state := range []string{"missing", "unknown"} {
		for _, task := range []*Task{conf, inside} {
			if diff := cmp.Diff(node, task.Pending(values)); diff != "" {
				t.Errorf("%s, %s: %s", task.Address, state, diff)
			}
			made, _, diags := task.Decode(values)
			if made != nil || len(diags) != 1 || diags[0].Summary != "Arguments not known yet" || diags[0].Address != task.Address {
				t.Errorf("%s, %s: Decode gives %v and %v", task.Address, state, made, diags)
			}
		}
		values.SetUnknown(node[0], nil)
	}
	values.Set(node[0], nil)
	if got := conf.Pending(values); got != nil {
		t.Errorf("after Set: %v", got)
	}
}

func TestFinalTasksTakeNullForWhatDidNotRun(t *testing.T) {
	t.Parallel()
	p, values := build(t, guestAndFile), &Values{}
	task := p.Always.Task("task.file.evidence")
	if got := task.Pending(values); got != nil {
		t.Errorf("pending: %v", got)
	}
	made, _, diags := task.Decode(values)
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	if diff := cmp.Diff(`path="/evidence" content="none" mode="0644"`, showArguments(made)); diff != "" {
		t.Error(diff)
	}
	values.SetUnknown(`task.guest.node["a"]`, nil)
	if diff := cmp.Diff([]string{`task.guest.node["a"]`}, task.Pending(values)); diff != "" {
		t.Error(diff)
	}
}

func TestHostSettingsOfADeclaredHostComeFromTasks(t *testing.T) {
	t.Parallel()
	p, values := build(t, guestAndFile), &Values{}
	_, diags := p.HostSettings("guest", values)
	want := "spec.hcl:18,1-13: Host not known yet\n    How the host \"guest\" is reached depends on the values of task.guest.node[\"a\"].\n"
	if diff := cmp.Diff(want, showDiags(diags)); diff != "" {
		t.Error(diff)
	}
	values.Set(`task.guest.node["a"]`, returned("10.0.0.1"))
	got, diags := p.HostSettings("guest", values)
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	settings := inventory.Settings{
		Name: "guest", Address: "10.0.0.1", Transport: "ssh", Become: "root", PrivateKey: "PRIVATE", HostKeys: []string{"ssh-ed25519 AAAA"},
		Declared: true,
	}
	if diff := cmp.Diff(settings, got); diff != "" {
		t.Error(diff)
	}
	if !p.Declared("guest") || p.Declared("localhost") {
		t.Error("Declared does not tell which hosts the playbook declares")
	}
}

func TestHostSettingsOfOtherHosts(t *testing.T) {
	t.Parallel()
	p := build(t, `
-- inventory.hcl --
host "nyctea" {
  address = "192.0.2.1"
  port    = 2222
  via     = "jump"
}
-- spec.hcl --
task "note" "x" {
  text = "x"
}
`)
	tests := map[string]inventory.Settings{
		"nyctea":    {Name: "nyctea", Address: "192.0.2.1", Port: 2222, Transport: "ssh", Via: "jump"},
		"localhost": {Name: "localhost", Address: "localhost", Transport: "local"},
		"jump":      {Name: "jump", Address: "jump", Transport: "ssh", FromSSHConfig: true},
	}
	for name, want := range tests {
		got, diags := p.HostSettings(name, &Values{})
		if diff := cmp.Diff(want, got); diff != "" || len(diags) > 0 {
			t.Errorf("%s: %v %s", name, diags, diff)
		}
		if needs := p.HostNeeds(name); len(needs) > 0 {
			t.Errorf("%s needs %v", name, needs)
		}
	}
}

func TestChecksAndOutputsAreEvaluatedAfterTheRun(t *testing.T) {
	t.Parallel()
	p, values := build(t, guestAndFile), &Values{}
	check, output := p.Checks[0], p.Outputs[0]
	node := []string{`task.guest.node["a"]`}
	if diff := cmp.Diff([][]string{node, node}, [][]string{check.Pending(values), output.Pending(values)}); diff != "" {
		t.Error(diff)
	}
	values.Set(node[0], returned("10.0.0.1"))
	if diags := check.Run(values); len(diags) > 0 {
		t.Error(showDiags(diags))
	}
	value, diags := output.Value(values)
	if len(diags) > 0 || !value.RawEquals(cty.StringVal("10.0.0.1")) {
		t.Errorf("got %#v and %v", value, diags)
	}
	values.Set(node[0], returned("10.0.0.2"))
	want := "spec.hcl:30,21-58: Check failed\n    The address is 10.0.0.2.\n    in check.address\n"
	if diff := cmp.Diff(want, showDiags(check.Run(values))); diff != "" {
		t.Error(diff)
	}
}

func TestSkippedTasksHaveNullValues(t *testing.T) {
	t.Parallel()
	p := build(t, `
-- spec.hcl --
task "guest" "node" {
  when = false
  name = "x"
}
task "file" "conf" {
  path    = "/x"
  content = task.guest.node.ip
  mode    = coalesce(task.guest.node.id, "0600")
}
output "ip" {
  value = task.guest.node.ip
}
`)
	conf := p.Main.Task("task.file.conf")
	if got := conf.Pending(&Values{}); got != nil {
		t.Errorf("pending: %v", got)
	}
	made, _, diags := conf.Decode(&Values{})
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	if diff := cmp.Diff(`path="/x" content="" mode="0600"`, showArguments(made)); diff != "" {
		t.Error(diff)
	}
	if got := p.Outputs[0].Pending(&Values{}); got != nil {
		t.Errorf("the output is pending: %v", got)
	}
}

func TestInvalidLateArgumentsAreToldWithTaskAndHost(t *testing.T) {
	t.Parallel()
	p, values := build(t, `
-- spec.hcl --
task "file" "size" {
  path = "/x"
}
task "guest" "node" {
  name   = "x"
  memory = task.file.size.size
}
`), &Values{}
	values.Set("task.file.size", map[string]cty.Value{"size": cty.Zero})
	_, _, diags := p.Main.Task("task.guest.node").Decode(values)
	if len(diags) != 1 || diags[0].Detail != "memory is at least 1." || diags[0].Address != "task.guest.node" || diags[0].Host != "localhost" || diags[0].Subject.Start.Line != 6 {
		t.Errorf("got %+v", diags)
	}
}

func TestOwnerIsTheClusterOrWhomTheSpecNames(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"a cluster":             {`cluster "web" {}`, "web"},
		"the spec block":        {"variable \"n\" { default = \"a\" }\nspec \"x\" { owner = \"lab-${var.n}\" }", "lab-a"},
		"no owner":              {`spec "x" {}`, ""},
		"a cluster and another": {"cluster \"web\" {}\nspec \"x\" { owner = \"y\" }", "spec.hcl:2,20-23: Invalid owner\n    What this spec makes belongs to its cluster \"web\"; leave the owner out.\n"},
		"no name":               {`spec "x" { owner = "a b" }`, "spec.hcl:1,20-25: Invalid owner\n    An owner is named like a cluster, with lower case letters, digits and - only; \"a b\" is not.\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			archive := txtar.Parse([]byte("-- options --\nhosts localhost\n-- spec.hcl --\n" + test.text + "\n"))
			p, diags := buildIn(t, unpack(t, archive), options(archive))
			got := showDiags(diags)
			if p != nil {
				got += p.Owner
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDecodeIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	p, values := build(t, `
-- spec.hcl --
task "guest" "node" {
  for_each = toset(["a", "b"])
  name     = each.key
}
task "file" "list" {
  for_each = toset([for i in range(20) : tostring(i)])
  path     = join(",", [for n in task.guest.node : n.ip], values(task.guest.node)[*].id)
}
`), &Values{}
	values.Set(`task.guest.node["a"]`, returned("10.0.0.1"))
	values.Set(`task.guest.node["b"]`, returned("10.0.0.2"))
	var group sync.WaitGroup
	for _, task := range p.Main.Tasks {
		group.Go(func() {
			if _, _, diags := task.Decode(values); len(diags) > 0 {
				t.Error(showDiags(diags))
			}
		})
	}
	group.Wait()
}

func TestDynamicBlocksMayComeFromOtherTasks(t *testing.T) {
	t.Parallel()
	p, values := build(t, `
-- spec.hcl --
task "guest" "first" {
  name = "first"
}
task "guest" "second" {
  name = "second"
  dynamic "nic" {
    for_each = task.guest.first.disks
    content {
      mac = nic.value
      mtu = nic.key
    }
  }
}
`), &Values{}
	second := p.Main.Task("task.guest.second")
	if diff := cmp.Diff([]string{"task.guest.first"}, second.Pending(values)); diff != "" {
		t.Error(diff)
	}
	values.Set("task.guest.first", map[string]cty.Value{"disks": cty.ListVal([]cty.Value{cty.StringVal("x"), cty.StringVal("y")})})
	made, _, diags := second.Decode(values)
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	if diff := cmp.Diff(`name="second" memory=512 disks=[] password= nic=x/0 nic=y/1`, showArguments(made)); diff != "" {
		t.Error(diff)
	}
}

const twoImports = `
-- spec.hcl --
import "blue" {
  source = "./web"
  inputs = { name = "blue" }
}
import "green" {
  source = "./web"
  inputs = { name = "green", upstream = import.blue.ip }
}
task "note" "both" {
  text = "${import.blue.ip} ${import.green.ip}"
}
output "first" {
  value = import.green.first
}
-- web/main.hcl --
variable "name" {}
variable "upstream" {
  type    = string
  default = "none"
}
task "guest" "node" {
  name = var.name
}
task "note" "up" {
  text = "${var.name} after ${var.upstream}, at ${task.guest.node.ip}"
}
output "ip" { value = task.guest.node.ip }
output "first" { value = task.guest.node.disks[0] }
`

func TestValuesOfTasksGoInAndOutOfImports(t *testing.T) {
	t.Parallel()
	p, values := build(t, twoImports), &Values{}
	values.Set("import.blue.task.guest.node", returned("10.0.0.1"))
	values.Set("import.green.task.guest.node", returned("10.0.0.2"))
	tests := map[string]string{
		"task.note.both":            `text="10.0.0.1 10.0.0.2"`,
		"import.blue.task.note.up":  `text="blue after none, at 10.0.0.1"`,
		"import.green.task.note.up": `text="green after 10.0.0.1, at 10.0.0.2"`,
	}
	decodesAll(t, p, values, tests)
}

func TestAnOutputOfAnImportThatCannotBeEvaluatedSaysWhere(t *testing.T) {
	t.Parallel()
	p, values := build(t, twoImports), &Values{}
	values.Set("import.green.task.guest.node", map[string]cty.Value{"disks": cty.ListValEmpty(cty.String)})
	_, diags := p.Outputs[0].Value(values)
	want := "web/main.hcl:13,47-50: Invalid index\n    The given key does not identify an element in this collection value: the collection has no elements.\n"
	if diff := cmp.Diff(want, showDiags(diags)); diff != "" {
		t.Error(diff)
	}
}

func TestASensitiveInputIsMasked(t *testing.T) {
	t.Parallel()
	redactor := &secret.Redactor{}
	archive := txtar.Parse([]byte(`
-- spec.hcl --
task "guest" "node" {
  name = "a"
}
import "web" {
  source = "./web"
  inputs = { key = task.guest.node.ip }
}
output "shown" {
  value     = import.web.out
  sensitive = true
}
-- web/main.hcl --
variable "key" { sensitive = true }
output "out" { value = "<${var.key}>" }
`))
	p, diags := buildWith(t, unpack(t, archive), options(archive), redactor)
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	values := &Values{}
	values.Set("task.guest.node", returned("a-secret-address"))
	value, diags := p.Outputs[0].Value(values)
	if len(diags) > 0 {
		t.Fatal(showDiags(diags))
	}
	if got := redactor.Redact(value.AsString()); got != "<***>" {
		t.Errorf("got %s", got)
	}
}

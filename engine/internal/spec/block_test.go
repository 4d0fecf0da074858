package spec

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLoadTellsEveryMistakeWithItsPlace(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ text, want string }{
		"an unknown block":                   {`taks "a" "b" {}`, `x.hcl:1,1-5: Unknown block type: There is no block "taks". Did you mean "task"?`},
		"an argument outside":                {`stage = "a"`, `x.hcl:1,1-6: Unexpected argument: An argument must be inside a block; "stage" is outside of one.`},
		"too few labels":                     {`task "a" {}`, `x.hcl:1,1-9: Wrong labels: A task block has 2 labels, module and name, as in: task "file" "motd" { … }`},
		"one label too many":                 {`variable "a" "b" {}`, `x.hcl:1,1-17: Wrong labels: A variable block has one label, its name, as in: variable "version" { default = "1" }`},
		"a label where none belongs":         {`locals "a" {}`, `x.hcl:1,1-11: Wrong labels: A locals block has no label, as in: locals { port = 80 }`},
		"a label that is no name":            {`task "file" "a b" {}`, `x.hcl:1,13-18: Invalid name: The name of a task block starts with a letter and has letters, digits, _ and - only.`},
		"an unknown argument":                {`stage "a" { afer = [] }`, `x.hcl:1,13-17: Unknown argument: A stage block has no argument "afer". Did you mean "after"?`},
		"a missing argument":                 {`output "a" {}`, `x.hcl:1,1-11: Missing argument: An output block needs the argument "value".`},
		"an unknown inner block":             {"variable \"a\" {\n  validate {}\n}", `x.hcl:2,3-11: Unknown block type: A variable block has no block "validate".`},
		"an inner label":                     {"variable \"a\" {\n  validation \"x\" {}\n}", `x.hcl:2,3-17: Wrong labels: A validation block has no label.`},
		"a duplicate task":                   {"task \"a\" \"b\" {}\ntask \"a\" \"b\" {}", `x.hcl:2,1-13: Duplicate task: task.a.b is declared already, at x.hcl:1,1-13. Rename one of them, or leave it out.`},
		"a duplicate local":                  {"locals { a = 1 }\nlocals { a = 2 }", `x.hcl:2,10-11: Duplicate local: local.a is declared already, at x.hcl:1,10-11. Rename one of them, or leave it out.`},
		"a duplicate variable":               {"variable \"a\" {}\nvariable \"a\" {}", `x.hcl:2,1-13: Duplicate variable: var.a is declared already, at x.hcl:1,1-13. Rename one of them, or leave it out.`},
		"a duplicate stage":                  {"stage \"a\" {}\nstage \"a\" {}", `x.hcl:2,1-10: Duplicate stage: stage.a is declared already, at x.hcl:1,1-10. Rename one of them, or leave it out.`},
		"two clusters":                       {"cluster \"a\" {}\ncluster \"b\" {}", `x.hcl:2,1-12: Duplicate cluster: A spec has one cluster; cluster "a" is declared already, at x.hcl:1,1-12.`},
		"a driver without a summary":         {`driver "a" {}`, `x.hcl:1,1-11: Missing argument: A driver block needs the argument "summary".`},
		"an unknown argument of a driver":    {`driver "a" {` + "\nsummary = \"x\"\nexsting = true\n}", `x.hcl:3,1-8: Unknown argument: A driver block has no argument "exsting". Did you mean "existing"?`},
		"a driver that is computed":          {`driver "a" {` + "\nsummary = \"x\"\ndefault = var.x\n}", `x.hcl:3,11-14: Invalid reference: This is read before anything has a value, so it must be written out and cannot refer to anything.`},
		"a duplicate driver":                 {"driver \"a\" { summary = \"x\" }\ndriver \"a\" { summary = \"y\" }", `x.hcl:2,1-11: Duplicate driver: driver.a is declared already, at x.hcl:1,1-11. Rename one of them, or leave it out.`},
		"two default drivers":                {"driver \"a\" {\nsummary = \"x\"\ndefault = true\n}\ndriver \"b\" {\nsummary = \"y\"\ndefault = true\n}", `x.hcl:7,11-15: Duplicate default: The driver "a" is the default already, at x.hcl:1,1-11.`},
		"two specs":                          {"spec \"a\" {}\nspec \"b\" {}", `x.hcl:2,1-9: Duplicate spec: spec is declared already, at x.hcl:1,1-9. Rename one of them, or leave it out.`},
		"an unknown stage":                   {"stage \"nodes\" {}\ntask \"a\" \"b\" { stage = \"node\" }", `x.hcl:2,24-30: Unknown stage: There is no stage "node". Did you mean "nodes"?`},
		"a stage after an unknown":           {"stage \"nodes\" { after = [\"netwrk\"] }\nstage \"network\" {}", `x.hcl:1,25-35: Unknown stage: Stage "nodes" comes after stage "netwrk", which is not declared. Did you mean "network"?`},
		"stages in a cycle":                  {"stage \"b\" { after = [\"a\"] }\nstage \"a\" { after = [\"b\"] }", `x.hcl:2,1-10: Stages in a cycle: Each of these stages comes after the next one: a, b, a. Leave the after of one of them out.`},
		"a stage that is computed":           {`task "a" "b" { stage = var.x }`, `x.hcl:1,24-27: Invalid reference: This is read before anything has a value, so it must be written out and cannot refer to anything.`},
		"a description by a function":        {`variable "a" { description = upper("x") }`, `x.hcl:1,30-35: Invalid call: This is read before anything has a value, so it must be written out. The only function here is fold.`},
		"host and hosts":                     {`task "a" "b" {` + "\nhost = \"x\"\nhosts = []\n}", `x.hcl:3,9-11: Conflicting arguments: A task has host or hosts, not both.`},
		"always and on_failure":              {`task "a" "b" {` + "\nalways = true\non_failure = true\n}", `x.hcl:1,1-13: Conflicting arguments: A task with always is done after a failure too; leave out on_failure.`},
		"two retries":                        {"task \"a\" \"b\" {\n  retry { attempts = 1 }\n  retry { attempts = 1 }\n}", `x.hcl:3,3-8: Duplicate block: There may be one retry block.`},
		"a retry without attempts":           {"task \"a\" \"b\" {\n  retry { delay = \"1s\" }\n}", `x.hcl:2,3-8: Missing argument: A retry block needs the argument "attempts".`},
		"host and hosts in a block":          {"block \"b\" {\nhost = \"a\"\nhosts = []\ntask \"a\" \"b\" {}\ntask \"a\" \"c\" {}\n}", `x.hcl:3,9-11: Conflicting arguments: A task has host or hosts, not both.`},
		"an empty block":                     {`block "b" {}`, `x.hcl:1,1-10: Missing block: A block needs a task, as in: task "file" "motd" { … }`},
		"an empty block in a block":          {"block \"b\" {\nblock \"c\" {}\ntask \"a\" \"b\" {}\n}", `x.hcl:2,1-10: Missing block: A block needs a task, as in: task "file" "motd" { … }`},
		"a stage in a block in a block":      {"stage \"s\" {}\nblock \"b\" {\nblock \"c\" {\nstage = \"s\"\ntask \"a\" \"b\" {}\n}\n}", `x.hcl:4,9-12: Conflicting arguments: A block in a block has its stage; write it in block "b".`},
		"batches in batches":                 {"block \"b\" {\nserial = 1\nblock \"c\" {\nserial = 1\ntask \"a\" \"b\" {}\n}\n}", `x.hcl:3,1-10: Conflicting arguments: The block "c" has serial or max_fail, and so has the block "b" around it (x.hcl:1,1-10). Leave one out.`},
		"a handler in a block":               {"block \"b\" {\nhandler \"a\" \"b\" {}\ntask \"a\" \"b\" {}\n}", `x.hcl:2,1-8: Unknown block type: A block has no block "handler". It has task, block, import and become; what else a task needs is in the task, and handlers are outside of blocks.`},
		"an import in a block with for_each": {"block \"b\" {\nfor_each = []\nimport \"web\" { source = \"./x\" }\n}", `x.hcl:3,1-13: Misplaced import: A block with for_each has no import in it. Give the import the for_each, and write it outside of the block.`},
		"an unknown argument of a block":     {"block \"b\" {\nserail = 1\ntask \"a\" \"b\" {}\n}", `x.hcl:2,1-7: Unknown argument: A block has no argument "serail". Did you mean "serial"?`},
		"a task of a block with a stage":     {"stage \"s\" {}\nblock \"b\" {\ntask \"a\" \"b\" {\nstage = \"s\"\n}\n}", `x.hcl:4,1-6: Conflicting arguments: The tasks of a block have its stage; write it in the block.`},
		"an unknown stage of a block":        {"stage \"nodes\" {}\nblock \"b\" {\nstage = \"node\"\ntask \"a\" \"b\" {}\ntask \"a\" \"c\" {}\n}", `x.hcl:3,9-15: Unknown stage: There is no stage "node". Did you mean "nodes"?`},
		"a duplicate block":                  {"block \"b\" {\ntask \"a\" \"b\" {}\n}\nblock \"b\" {\ntask \"a\" \"c\" {}\n}", `x.hcl:4,1-10: Duplicate block: block.b is declared already, at x.hcl:1,1-10. Rename one of them, or leave it out.`},
		"a duplicate handler":                {"handler \"a\" \"b\" {}\nhandler \"a\" \"b\" {}", `x.hcl:2,1-16: Duplicate handler: handler.a.b is declared already, at x.hcl:1,1-16. Rename one of them, or leave it out.`},
		"a handler in a stage":               {"stage \"s\" {}\nhandler \"a\" \"b\" {\nstage = \"s\"\n}", `x.hcl:3,1-6: Unknown argument: A handler has no argument "stage": it is done for each host that notified it, at the end of the stage.`},
		"run_once without hosts":             {`task "a" "b" { run_once = true }`, `x.hcl:1,27-31: Missing argument: run_once is for a task with hosts: it is done on the first of them alone.`},
		"until without retry":                {`task "a" "b" { until = true }`, `x.hcl:1,24-28: Missing block: until needs a retry block that says how often to try, as in: retry { attempts = 10 }`},
		"become twice":                       {"task \"a\" \"b\" {\nbecome = true\nbecome { user = \"x\" }\n}", `x.hcl:3,1-7: Conflicting arguments: Give become as an argument or as a block, not both.`},
		"an unknown argument of become":      {"task \"a\" \"b\" {\nbecome { usre = \"x\" }\n}", `x.hcl:2,10-14: Unknown argument: A become block has no argument "usre". Did you mean "user"?`},
		"two becomes":                        {"task \"a\" \"b\" {\nbecome {}\nbecome {}\n}", `x.hcl:3,1-7: Duplicate block: There may be one become block.`},
		"a secret without anything":          {`secret "a" {}`, `x.hcl:1,1-11: Missing argument: A secret block needs encrypted, or a kind and a host that keeps it.`},
		"a secret of an unknown kind":        {`secret "a" { kind = "pasword" }`, `x.hcl:1,21-30: Unknown kind: A secret is no "pasword". Did you mean "password"? Its kind is password, token, hex or ssh_key.`},
		"a secret without a host":            {`secret "a" { kind = "hex" }`, `x.hcl:1,1-11: Missing argument: A secret that is made needs the argument "host": who keeps it.`},
		"a secret for several hosts":         {"secret \"a\" {\nkind = \"hex\"\nhosts = []\n}", `x.hcl:3,1-6: Unknown argument: A secret block has no argument "hosts": it is one value, which one host keeps.`},
		"a secret that is both":              {"secret \"a\" {\nencrypted = \"x\"\nkind = \"hex\"\n}", `x.hcl:3,1-5: Conflicting arguments: A secret is encrypted in the file, or made by its kind, not both.`},
		"a secret and a task of its name":    {"secret \"a\" {\nkind = \"hex\"\nhost = \"b\"\n}\ntask \"secret\" \"a\" {}", `x.hcl:5,1-18: Duplicate task: task.secret.a is declared already, at x.hcl:1,1-11. Rename one of them, or leave it out.`},
		"a check without assert":             {`check "a" {}`, `x.hcl:1,1-10: Missing block: A check block needs an assert block with a condition and an error_message.`},
		"a host without address":             {`host "a" {}`, `x.hcl:1,1-9: Missing argument: A host block needs the argument "address".`},
		"vars that are no object":            {`spec "a" { vars = 1 }`, `x.hcl:1,19-20: Invalid vars: Give an object with values of variables, as in: vars = { version = "1" }`},
		"a block inside of locals":           {"locals {\n  a {}\n}", `x.hcl:2,3-4: Unknown block type: A locals block has arguments only.`},
		"a spec in a playbook":               {`import { source = "other" }`, `other/y.hcl:1,1-9: Misplaced spec block: A spec block belongs in a spec file; this is a file of a playbook.`},
		"an input without a variable":        {`import {` + "\nsource = \"third\"\ninputs = { prot = 1 }\n}", `x.hcl:3,12-16: Unknown variable: The playbook "third" has no variable "prot". Did you mean "port"?`},
		"an input given twice":               {"import {\nsource = \"third\"\ninputs = { port = 1 }\n}\nimport {\nsource = \"third\"\ninputs = { port = 2 }\n}", `x.hcl:7,19-20: Duplicate input: The variable "port" has a value from another import already, at x.hcl:3,19-20.`},
		"an input to the importer":           {"variable \"mine\" {}\nimport {\nsource = \"third\"\ninputs = { mine = 1 }\n}", `x.hcl:4,12-16: Unknown variable: The playbook "third" has no variable "mine".`},
		"inputs that are no object":          {"import {\nsource = \"third\"\ninputs = 1\n}", `x.hcl:3,10-11: Invalid inputs: Give an object with values of variables, as in: inputs = { version = "1" }`},
		"a syntax error":                     {`task "a" "b" {`, `x.hcl:1,14-15: Unclosed configuration block: There is no closing brace for this block before the end of the file. This may be caused by incorrect brace nesting elsewhere in this file.`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src := sources(t, map[string]string{"disk/x.hcl": test.text, "disk/other/y.hcl": `spec "y" {}`, "third/z.hcl": `variable "port" {}`})
			_, diags := Load(src, "x.hcl")
			if diff := cmp.Diff(test.want, diags.Error()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTaskSeparatesMetaArgumentsFromTheModules(t *testing.T) {
	t.Parallel()
	s, diags := Load(sources(t, map[string]string{"disk/x.hcl": `
stage "s" {}
task "file" "motd" {
  stage      = "s"
  host       = "h"
  for_each   = []
  when       = true
  depends_on = []
  timeout    = "1m"
  on_failure = true
  notify     = [handler.file.x]
  sensitive  = true
  until      = true
  environment = { A = "b" }
  cwd        = "/"
  path       = "/etc/motd"
  state      = "present"
  become {
    user = "x"
  }
  retry {
    attempts = 3
    delay    = "1s"
  }
  nic {}
}
`}), "x.hcl")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	task := s.Tasks[0]
	if diff := cmp.Diff([]string{"path", "state"}, slices.Sorted(maps.Keys(task.Args.Attributes))); diff != "" {
		t.Error(diff)
	}
	if len(task.Args.Blocks) != 1 || task.Args.Blocks[0].Type != "nic" {
		t.Errorf("blocks: %v", task.Args.Blocks)
	}
	if task.Become == nil || task.Become.User == nil || !task.Sensitive || task.Notify == nil || len(task.Environment) != 1 || task.Until == nil || task.Cwd == nil {
		t.Errorf("got %+v", task)
	}
	if task.Stage != "s" || !task.OnFailure || task.Always || task.Retry == nil || task.Host == nil || task.Hosts != nil {
		t.Errorf("got %+v", task)
	}
}

func TestFileNames(t *testing.T) {
	t.Parallel()
	tests := []struct{ folder, name, joined, ofJoined string }{
		{"builtin:", "a.hcl", "builtin:a.hcl", "builtin:"},
		{"builtin:k8s", "a.hcl", "builtin:k8s/a.hcl", "builtin:k8s"},
		{"builtin:k8s", "../x/y", "builtin:x/y", "builtin:x"},
		{"builtin:k8s", "../../../etc/passwd", "builtin:etc/passwd", "builtin:etc"},
		{"builtin:k8s", "/etc/motd", "/etc/motd", "/etc"},
		{"/srv", "builtin:k8s", "builtin:k8s", "builtin:"},
		{".", "a.hcl", "a.hcl", "."},
		{"specs", "../a.hcl", "a.hcl", "."},
	}
	for _, test := range tests {
		joined := Join(test.folder, test.name)
		if diff := cmp.Diff([]string{test.joined, test.ofJoined}, []string{joined, Folder(joined)}); diff != "" {
			t.Errorf("%s + %s: %s", test.folder, test.name, diff)
		}
	}
}

func TestTasksOfABlockHaveItsArguments(t *testing.T) {
	t.Parallel()
	s, diags := Load(sources(t, map[string]string{"disk/x.hcl": `
stage "s" {}
block "web" {
  stage       = "s"
  hosts       = ["a"]
  when        = true
  depends_on  = [task.file.first]
  environment = { A = "1" }
  cwd         = "/srv"
  timeout     = "1m"
  serial      = 1
  become      = true
  task "file" "inherits" {}
  task "file" "has" {
    host        = "b"
    when        = false
    depends_on  = [task.file.inherits]
    environment = { B = "2" }
    cwd         = "/tmp"
    become      = "x"
  }
}
`}), "x.hcl")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	inherits, has := s.Tasks[0], s.Tasks[1]
	lines := func(t *Task) []int {
		var lines []int
		for _, expr := range slices.Concat(t.When, t.DependsOn, t.Environment, only(t.Cwd), only(t.Timeout), only(t.Host), only(t.Hosts), only(t.Become.Value)) {
			lines = append(lines, expr.Range().Start.Line)
		}
		return lines
	}
	if diff := cmp.Diff([]int{6, 7, 8, 9, 10, 5, 12}, lines(inherits)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]int{6, 16, 7, 17, 8, 18, 19, 10, 15, 20}, lines(has)); diff != "" {
		t.Error(diff)
	}
	if s.Blocks[0].Serial == nil || inherits.Block != s.Blocks[0] || inherits.Stage != "s" || has.Stage != "s" {
		t.Errorf("got %+v", s.Blocks[0])
	}
}

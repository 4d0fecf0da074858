package jobs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/hcl/v2/hclwrite"

	"kinit/cmd/kinit/ci/result"
	"kinit/engine/diag"
)

func load(t *testing.T, text string) (*File, diag.List) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ci.hcl")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	file, _, diags := Load(path, "ci.hcl")
	return file, diags
}

func TestAFileIsReadWithItsDefaults(t *testing.T) {
	t.Parallel()
	file, diags := load(t, `
title   = "Ours"
results = "kept"
site    = "/srv/site"

keep {
  runs = 5
  days = 2
}

job "web" {
  spec        = "web.hcl"
  hosts       = ["a", "b*"]
  variables   = { name = "x y", count = 3, ports = { "80" = 8080 }, list = ["a"] }
  set         = ["cluster.name=blue", "pool.web.count=2"]
  remove      = ["web-02", "old.qcow2"]
  schedule    = "0 3 * * 0"
  time_zone   = "UTC"
  timeout     = "90m"
  retries     = 2
  ready       = "nodes"
}

job "plain" {
  spec = "plain"
}
`)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	plain := Job{Name: "plain", Spec: "plain", Variables: map[string]string{}, Timeout: 3 * time.Hour, CleanupTimeout: 30 * time.Minute,
		Verify: "verify", Cleanup: "cleanup", Infrastructure: []string{"validate"}}
	web := plain
	web.Name, web.Spec, web.Hosts, web.Timeout, web.Retries, web.Ready = "web", "web.hcl", []string{"a", "b*"}, 90*time.Minute, 2, "nodes"
	web.Remove = []string{"web-02", "old.qcow2"}
	web.Set = []string{"cluster.name=blue", "pool.web.count=2"}
	web.Variables = map[string]string{"name": "x y", "count": "3", "ports": `{ "80" = 8080 }`, "list": `["a"]`}
	want := &File{Path: "ci.hcl", Folder: file.Folder, Results: filepath.Join(file.Folder, "kept"), Site: "/srv/site", Title: "Ours",
		Keep: result.Limits{Runs: 5, Age: 48 * time.Hour}, Jobs: []Job{web, plain}}
	if diff := cmp.Diff(want, file, cmpopts.IgnoreFields(Job{}, "Schedule", "Range")); diff != "" {
		t.Error(diff)
	}
	if got := file.Jobs[0].Address() + " " + file.Jobs[1].Address(); got != "web-periodic-weekly plain-on-demand" {
		t.Errorf("the addresses are %s", got)
	}
	if file.Find("web-periodic-weekly") != &file.Jobs[0] || file.Find("plain") != &file.Jobs[1] || file.Find("none") != nil {
		t.Error("jobs are not found by their names and addresses")
	}
}

// reader is a public key.
const reader = "age1wks8qxq2hud5ys884dkp28epc3y4947l9czvyjdve68kxupn5ftscjvsh8"

func TestAJobThatBacksUpHasAFolderAndKeepsSeven(t *testing.T) {
	t.Parallel()
	file, diags := load(t, `job "k8s" {
  spec = "k8s"
  backup {
    folder     = "backups"
    recipients = ["`+reader+`"]
  }
}`)
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if diff := cmp.Diff(&Backup{Folder: filepath.Join(file.Folder, "backups"), Recipients: []string{reader}, Keep: 7}, file.Jobs[0].Backup); diff != "" {
		t.Error(diff)
	}
}

func TestMistakesHavePlacesAndNames(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                         "ci.hcl:1,1-1: No job: The file has no job, as in: job \"web\" { spec = \"web.hcl\" }",
		`job "a" {}`:               "ci.hcl:1,9-9: Missing required argument: The argument \"spec\" is required, but no definition was found.",
		`jobs "a" {}`:              "ci.hcl:1,1-5: Unsupported block type: Blocks of type \"jobs\" are not expected here. Did you mean \"job\"?",
		`job "a/b" { spec = "a" }`: "ci.hcl:1,1-10: Invalid name: The name of a job begins with a letter or a digit and has letters, digits, '.', '_' and '-' only, 100 at most.",
		"job \"a\" {\n  spec = \"a\"\n  hots = []\n}":                                                                                   "ci.hcl:3,3-7: Unsupported argument: An argument named \"hots\" is not expected here. Did you mean \"hosts\"?",
		"job \"a\" {\n  spec = \"a\"\n  timeout = \"2 hours\"\n}":                                                                       "ci.hcl:3,13-22: Invalid duration: \"2 hours\" is no duration above zero; give one such as \"90s\", \"45m\" or \"1h30m\".",
		"job \"a\" {\n  spec = \"a\"\n  retries = -1\n}":                                                                                "ci.hcl:3,13-15: Invalid number: retries must be at least 0, -1 was given.",
		"job \"a\" {\n  spec = \"a\"\n  cleanup = \"\"\n}":                                                                              "ci.hcl:3,13-15: Missing stage: A job must name the stage that removes what it deployed.",
		"job \"a\" {\n  spec = \"a\"\n  time_zone = \"UTC\"\n}":                                                                         "ci.hcl:3,15-20: Missing argument: A time zone is of no use without a schedule.",
		"job \"a\" {\n  spec = \"a\"\n  schedule = \"0 3 * * 0\"\n  time_zone = \"UCT+1\"\n}":                                           "ci.hcl:4,15-22: Invalid schedule: This is no schedule: there is no time zone \"UCT+1\"; give a name such as Europe/Madrid or UTC.",
		"job \"a\" {\n  spec = \"a\"\n  variables = [1]\n}":                                                                             "ci.hcl:3,15-18: Invalid variables: Give an object with values of variables, as in: variables = { version = \"1\" }",
		"job \"a\" {\n  spec = \"a\"\n  remove = [\"x,y\"]\n}":                                                                          "ci.hcl:3,12-19: Invalid name: \"x,y\" is no name of what a run removes; give one name in each element, as in remove = [\"web-02\", \"web-03\"].",
		"keep {\n  runs = 0\n}\njob \"a\" {\n  spec = \"a\"\n}":                                                                         "ci.hcl:2,10-11: Invalid number: runs must be at least 1, 0 was given.",
		"job \"a\" {\n  spec = \"a\"\n}\njob \"a\" {\n  spec = \"b\"\n}":                                                                "ci.hcl:4,1-8: Duplicate job: A job \"a\" is declared already, at ci.hcl:1,1-8.",
		"job \"a\" {\n  spec = \"a\"\n  backup {\n    folder = \"b\"\n    recipients = []\n  }\n}":                                      "ci.hcl:5,18-20: Invalid recipients: The backups could not be encrypted: give at least one public key to encrypt for.",
		"job \"a\" {\n  spec = \"a\"\n  backup {\n    folder = \"b\"\n    recipients = [\"age1\"]\n  }\n}":                              "ci.hcl:5,18-26: Invalid recipients: The backups could not be encrypted: \"age1\" is no public key such as age1….",
		"job \"a\" {\n  spec = \"a\"\n  cleanup = \"x\"\n  backup {\n    folder = \"b\"\n    recipients = [\"" + reader + "\"]\n  }\n}": "ci.hcl:3,3-16: Conflicting arguments: A job with a backup block backs up what exists: it deploys nothing, so cleanup has no meaning.",
		"job \"a\" {\n  spec = \"a\"\n  backup {\n    folder = \"b\"\n    recipients = [\"" + reader + "\"]\n    keep = 0\n  }\n}":      "ci.hcl:6,12-13: Invalid number: keep must be at least 1, 0 was given.",
	} {
		_, diags := load(t, text)
		if got := diags.Error(); got != want {
			t.Errorf("%s:\ngot  %s\nwant %s", text, got, want)
		}
	}
}

func TestTheProjectsOwnJobsAreValid(t *testing.T) {
	t.Parallel()
	path, err := filepath.Abs("../../../../examples/ci/ci.hcl")
	if err != nil {
		t.Fatal(err)
	}
	file, _, diags := Load(path, "ci.hcl")
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	if got := file.Jobs[0].Address() + " " + file.Jobs[1].Address(); got != "bare-libvirt-1-1-1-periodic-weekly k8s-podman-3-2-2-periodic-weekly" {
		t.Errorf("got %s", got)
	}
	text, err := os.ReadFile(path)
	if err != nil || string(hclwrite.Format(text)) != string(text) {
		t.Errorf("it is not in the canonical format, error %v", err)
	}
}

func TestTheExampleOfTheDocumentationIsValid(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../../docs/ci.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(page), "```hcl\n")
	example, _, ok := strings.Cut(example, "```\n")
	if !ok {
		t.Fatal("the page has no example")
	}
	file, diags := load(t, example)
	if len(diags) > 0 || file.Jobs[0].Address() != "k8s-libvirt-1-1-1-periodic-weekly" {
		t.Errorf("got %v", diags)
	}
	if string(hclwrite.Format([]byte(example))) != example {
		t.Error("it is not in the canonical format")
	}
}

package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// verdict is what became of an expectation.
type verdict string

const (
	met    verdict = "met"
	notMet verdict = "not met"
	unseen verdict = "could not be seen"
)

// expectation is one row of docs/real.md.
type expectation struct {
	id    string
	what  string
	check func(s *session) (verdict, string)
}

// result is an expectation and what was seen.
type result struct {
	ID      string  `json:"id"`
	What    string  `json:"what"`
	Verdict verdict `json:"verdict"`
	Seen    string  `json:"seen"`
}

func expectations() []expectation {
	return []expectation{
		{"doctor", "`kinit doctor` finds no fault on any hypervisor", doctor},
		{"validate", "`kinit validate` accepts the spec and the inventory", ends("validate")},
		{"deploy", "the cluster is deployed", ends("deploy")},
		{"again", "a second run changes nothing", again},
		{"status", "`kinit status` finds everything in place", ends("status")},
		{"workload", "all nodes are Ready, and so are all pods", nodesAndPods},
		{"kvm", "guests run on KVM and are not emulated", kvm},
		{"datapath", "Open vSwitch uses the kernel's datapath", datapath},
		{"downloads", "what was fetched came from its own site and was held to a digest", downloads},
		{"clean-up", "clean-up leaves nothing of the cluster", cleanUp},
	}
}

// judge checks each expectation.
func (s *session) judge() []result {
	var results []result
	for _, e := range expectations() {
		verdict, seen := e.check(s)
		results = append(results, result{e.id, e.what, verdict, seen})
	}
	return results
}

// ends expects a step to end with 0.
func ends(name string) func(s *session) (verdict, string) {
	return func(s *session) (verdict, string) {
		made := s.step(name)
		switch {
		case made == nil:
			return unseen, "an earlier step failed"
		case made.Code != 0:
			return notMet, fmt.Sprintf("exit code %d after %s", made.Code, made.Duration)
		}
		return met, "after " + made.Duration.String()
	}
}

func doctor(s *session) (verdict, string) {
	made := s.step("doctor")
	var faults []string
	count := 0
	for line := range strings.Lines(made.stdout.String()) {
		var f struct{ Kind, Host, Probe, Level, Detail string }
		if json.Unmarshal([]byte(line), &f) != nil || f.Kind != "finding" {
			continue
		}
		count++
		if f.Level == "fail" {
			faults = append(faults, fmt.Sprintf("%s: %s: %s", f.Host, f.Probe, f.Detail))
		}
	}
	switch {
	case len(faults) > 0:
		return notMet, strings.Join(faults, "; ")
	case count == 0:
		return unseen, fmt.Sprintf("exit code %d, and no findings", made.Code)
	}
	return met, fmt.Sprintf("%d probes", count)
}

func again(s *session) (verdict, string) {
	made := s.step("again")
	if made == nil {
		return unseen, "the cluster was not deployed"
	}
	sum, found := made.summary()
	switch changed := sum.Counts["changed"]; {
	case made.Code != 0 || !found:
		return notMet, fmt.Sprintf("exit code %d", made.Code)
	case changed > 0:
		return notMet, fmt.Sprintf("%d tasks changed something", changed)
	}
	return met, fmt.Sprintf("0 of %d tasks changed something", sum.Counts["ok"]+sum.Counts["skipped"])
}

func nodesAndPods(s *session) (verdict, string) {
	made := s.step("workload")
	if made == nil {
		return unseen, "the cluster was not deployed"
	}
	var late []string
	nodes, pods := 0, 0
	for line := range strings.Lines(made.stdout.String()) {
		words := strings.Fields(line)
		switch {
		case len(words) == 3 && words[0] == "node":
			nodes++
			if words[2] != "True" {
				late = append(late, "node "+words[1])
			}
		case len(words) > 2 && words[0] == "pod":
			pods++
			if words[2] != "Succeeded" && (words[2] != "Running" || strings.Contains(strings.Join(words[3:], " "), "false")) {
				late = append(late, "pod "+words[1]+" "+strings.Join(words[2:], " "))
			}
		}
	}
	switch {
	case made.Code != 0 || nodes == 0:
		return unseen, fmt.Sprintf("kubectl ended with %d; clusters without Kubernetes have none", made.Code)
	case len(late) > 0:
		return notMet, strings.Join(late, ", ")
	}
	return met, fmt.Sprintf("%d nodes, %d pods", nodes, pods)
}

// lines returns what hypervisors said of a word, after their names.
func (s *session) lines(word string) []string {
	var found []string
	for _, host := range s.hosts {
		made := s.step("inspect " + host)
		if made == nil {
			continue
		}
		for line := range strings.Lines(made.stdout.String()) {
			if text, is := strings.CutPrefix(strings.TrimSpace(line), word+": "); is {
				found = append(found, host+" "+text)
			}
		}
	}
	return found
}

func kvm(s *session) (verdict, string) {
	var guests, emulated []string
	for _, line := range s.lines("domain") {
		words := strings.Fields(line)
		if len(words) < 2 || s.cluster != "" && !strings.HasPrefix(words[1], s.cluster+"-") {
			continue // a guest of somebody else
		}
		guests = append(guests, words[1])
		if words[len(words)-1] != "kvm" {
			emulated = append(emulated, words[1]+" on "+words[0])
		}
	}
	switch {
	case len(guests) == 0:
		return unseen, "no guest of the cluster was running"
	case len(emulated) > 0:
		return notMet, "emulated: " + strings.Join(emulated, ", ")
	}
	return met, strings.Join(guests, ", ")
}

func datapath(s *session) (verdict, string) {
	types, shown := s.lines("datapath"), s.lines("dpif")
	if len(types) == 0 {
		return unseen, "no hypervisor told the datapath of br-int"
	}
	for _, line := range types {
		if _, kind, _ := strings.Cut(line, " "); strings.Trim(kind, `" `) == "netdev" {
			return notMet, "br-int is switched in userspace: " + line
		}
	}
	for _, line := range shown {
		if strings.Contains(line, " system@") {
			return met, strings.Join(shown, ", ")
		}
	}
	return unseen, "no bridge with a datapath was shown"
}

// downloads looks at what the deployment fetched: arguments of the tasks that changed something.
func downloads(s *session) (verdict, string) {
	made := s.step("deploy")
	if made == nil || len(made.events) == 0 {
		return unseen, "there is no log of the deployment"
	}
	modules, arguments := map[string]string{}, map[string]map[string]string{}
	count := 0
	var others []string
	for _, e := range made.events {
		for _, task := range e.Plan.Tasks {
			modules[task.Address] = task.Module
		}
		switch {
		case e.Kind == "task_arguments":
			values := map[string]string{}
			for _, value := range e.Values {
				values[value.Name] = strings.Trim(value.Text, `"`)
			}
			arguments[e.Task+" "+e.Host] = values
		case e.Kind == "task_finished" && e.Status == "changed":
			why, fetched := other(modules[e.Task], arguments[e.Task+" "+e.Host])
			if fetched {
				count++
			}
			if why != "" {
				others = append(others, e.Task+": "+why)
			}
		}
	}
	switch {
	case len(others) > 0:
		return notMet, strings.Join(others, "; ")
	case count == 0:
		return unseen, "the deployment fetched nothing: it was there already"
	}
	return met, fmt.Sprintf("%d files and images", count)
}

// other returns whether a task fetched something, and what is wrong with where it came from.
func other(module string, args map[string]string) (why string, fetched bool) {
	switch module {
	case "download":
		digest := args["sha256"] + args["sha512"]
		switch {
		case !strings.HasPrefix(args["url"], "https://"):
			return "it came from " + args["url"], true
		case digest == "":
			return args["url"] + " was held to no digest", true
		}
		return "", true
	case "podman_image":
		switch {
		case args["source"] != "":
			return args["name"] + " came from " + args["source"], true
		case !strings.Contains(args["name"], "@sha256:"):
			return args["name"] + " was held to no digest", true
		}
		return "", true
	}
	return "", false
}

func cleanUp(s *session) (verdict, string) {
	made := s.step("clean-up")
	if made == nil {
		return unseen, "nothing was deployed"
	}
	sum, found := made.summary()
	left := strings.Trim(sum.Outputs["leftovers"], `"`)
	switch {
	case made.Code != 0 || !found:
		return notMet, fmt.Sprintf("exit code %d", made.Code)
	case left == "":
		return unseen, "the spec has no output leftovers"
	case left != "0":
		return notMet, left + " objects are left"
	}
	return met, "0 objects are left"
}

package examples

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
)

// TestWhatKubernetesMakesOnWindowsIsTakenBack compares the tasks for Windows nodes with the
// list by which a machine that exists leaves: what is missing there would stay.
func TestWhatKubernetesMakesOnWindowsIsTakenBack(t *testing.T) {
	t.Parallel()
	const file = "../../specs/k8s/windows.hcl"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	parsed, diags := hclsyntax.ParseConfig(text, file, hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	body := parsed.Body.(*hclsyntax.Body)
	traces := tracesOf(t, body)
	for _, block := range body.Blocks {
		if block.Type != "task" {
			continue
		}
		kind := map[string]string{"win_service": "services", "win_firewall": "rules", "win_scheduled_task": "tasks"}[block.Labels[0]]
		if block.Labels[0] == "win_env" && block.Body.Attributes["value"] != nil {
			kind = "variables"
		}
		if kind == "" {
			continue
		}
		name, diags := block.Body.Attributes["name"].Expr.Value(nil)
		if diags.HasErrors() {
			t.Fatal(diags)
		}
		if !slices.Contains(traces[kind], strings.TrimPrefix(name.AsString(), "kinit/")) {
			t.Errorf("%s of windows_traces has no %q, which %s.%s makes", kind, name.AsString(), block.Labels[0], block.Labels[1])
		}
	}
	owned := slices.Concat(traces["alone"], traces["folders"], traces["files"])
	for _, path := range regexp.MustCompile(`C:/[^"$]*`).FindAllString(string(text), -1) {
		native := strings.ReplaceAll(path, "/", `\`)
		if !slices.ContainsFunc(owned, func(one string) bool { return native == one || strings.HasPrefix(native, one+`\`) }) {
			t.Errorf("%s is below nothing of windows_traces", path)
		}
	}
}

// tracesOf are the lists of windows_traces that are literal.
func tracesOf(t *testing.T, body *hclsyntax.Body) map[string][]string {
	t.Helper()
	traces := map[string][]string{}
	for _, block := range body.Blocks {
		attr := block.Body.Attributes["windows_traces"]
		if block.Type != "locals" || attr == nil {
			continue
		}
		for _, item := range attr.Expr.(*hclsyntax.ObjectConsExpr).Items {
			key, _ := item.KeyExpr.Value(nil) // a word, which is never wrong
			list, diags := item.ValueExpr.Value(nil)
			if diags.HasErrors() || !list.Type().IsTupleType() {
				continue
			}
			for _, one := range list.AsValueSlice() {
				traces[key.AsString()] = append(traces[key.AsString()], one.AsString())
			}
		}
	}
	if len(traces["services"]) == 0 {
		t.Fatal("there are no windows_traces")
	}
	return traces
}

// Package axe looks for violations of accessibility rules on a page in a browser, with
// axe-core.
package axe

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"kinit/test/browser"
	"kinit/test/npm"
)

// Violation is a rule that a page breaks.
type Violation struct {
	ID    string `json:"id"`
	Help  string `json:"help"`
	Nodes []struct {
		HTML    string `json:"html"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Script is axe-core. The test is skipped where it cannot be had, and fails when
// KINIT_REQUIRE asks for it.
func Script(t testing.TB, root string) string {
	t.Helper()
	script, err := os.ReadFile(filepath.Join(npm.Package(t, root, "axe", "axe-core", "4.14.1"), "axe.min.js"))
	if err != nil {
		t.Fatal(err)
	}
	return string(script)
}

// Violations are the rules of WCAG 2.2, levels A and AA, and of good practice that a page
// breaks.
func Violations(t testing.TB, p *browser.Page, script string) []Violation {
	t.Helper()
	text := browser.Value[string](p, script+`; axe.run(document, {resultTypes: ["violations"]}).then(r => JSON.stringify(r.violations))`)
	var found []Violation
	if err := json.Unmarshal([]byte(text), &found); err != nil {
		t.Fatal(err)
	}
	return found
}

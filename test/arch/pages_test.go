package arch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The limits of pages that contributors read first.
const (
	mostWords         = 1500 // of ARCHITECTURE.md
	mostDecisionWords = 200  // of one decision, tables aside
	mostGlossaryRows  = 20
)

// decisionParts are the parts of a decision, in their order.
var decisionParts = []string{"**Context:** ", "**Decision:** ", "**Consequences:** "}

func TestArchitecturePageStaysShort(t *testing.T) {
	t.Parallel()
	text := page(t, "ARCHITECTURE.md")
	if n := len(strings.Fields(text)); n > mostWords {
		t.Errorf("ARCHITECTURE.md has %d words, and may have %d: move details to docs/design", n, mostWords)
	}
	_, glossary, found := strings.Cut(text, "| word | meaning |\n|---|---|\n")
	if rows := strings.Count(glossary, "\n|") + 1; !found || rows > mostGlossaryRows {
		t.Errorf("the glossary of ARCHITECTURE.md has %d rows (found: %v), and may have %d", rows, found, mostGlossaryRows)
	}
}

func TestDesignDecisionsHaveThreePartsAndStayShort(t *testing.T) {
	t.Parallel()
	index, found := page(t, "docs/design/README.md"), 0
	for _, file := range designPages(t) {
		name := filepath.Base(file)
		if !strings.Contains(index, "("+name+")") {
			t.Errorf("docs/design/README.md does not list %s", name)
		}
		for _, decision := range strings.Split(page(t, file), "\n## ")[1:] {
			found++
			for _, problem := range problems(decision) {
				t.Errorf("%s: %s", file, problem)
			}
		}
	}
	if found < 50 {
		t.Errorf("found %d decisions, want at least 50", found)
	}
}

// problems returns what is wrong with the form of a decision.
func problems(decision string) (found []string) {
	title, rest, _ := strings.Cut(decision, "\n")
	words := 0
	for line := range strings.Lines(rest) {
		if !strings.HasPrefix(line, "|") {
			words += len(strings.Fields(line))
		}
	}
	if words > mostDecisionWords {
		found = append(found, fmt.Sprintf("%q has %d words, and may have %d", title, words, mostDecisionWords))
	}
	for _, part := range decisionParts {
		before, after, ok := strings.Cut(rest, "\n"+part)
		if !ok || strings.Contains(before, "\n**") {
			return append(found, fmt.Sprintf("%q has no part %s, or not in this order", title, strings.TrimSpace(part)))
		}
		rest = after
	}
	return found
}

func TestMalformedDecisionsAreFound(t *testing.T) {
	t.Parallel()
	good := "Title\n\n**Context:** a\n\n**Decision:** b\n\n| a | table |\n\n**Consequences:** c\n"
	for name, c := range map[string]struct {
		decision string
		want     []string
	}{
		"good":           {good, nil},
		"part missing":   {strings.Replace(good, "**Decision:** b", "b", 1), []string{`"Title" has no part **Decision:**, or not in this order`}},
		"order of parts": {"Title\n\n**Decision:** b\n\n**Context:** a\n\n**Consequences:** c\n", []string{`"Title" has no part **Context:**, or not in this order`}},
		"too long":       {good + strings.Repeat("word ", 195), []string{`"Title" has 201 words, and may have 200`}},
	} {
		if got := problems(c.decision); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestLinksOfContributorPagesResolve checks the files and headings that ARCHITECTURE.md, CONTRIBUTING.md and the
// pages of docs/design link to.
func TestLinksOfContributorPagesResolve(t *testing.T) {
	t.Parallel()
	link := regexp.MustCompile(`\]\(([^)]+)\)`)
	for _, file := range append(designPages(t), "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/design/README.md") {
		for _, found := range link.FindAllStringSubmatch(page(t, file), -1) {
			target, heading, _ := strings.Cut(found[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			if target = filepath.Join(filepath.Dir(file), target); strings.HasPrefix(found[1], "#") {
				target = file
			}
			if _, err := os.Stat(filepath.Join(root(t), target)); err != nil {
				t.Errorf("%s links to %s, which does not exist", file, found[1])
			} else if heading != "" && !slices.Contains(anchors(page(t, target)), heading) {
				t.Errorf("%s links to %s, which has no such heading", file, found[1])
			}
		}
	}
}

// anchors returns the names that GitHub gives to the headings of a page.
func anchors(text string) (all []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	for line := range strings.Lines(text) {
		if title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " "); ok && strings.HasPrefix(line, "#") {
			all = append(all, strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-"))
		}
	}
	return all
}

// designPages returns the pages of decisions, by their paths from the root.
func designPages(t *testing.T) (pages []string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root(t), "docs", "design", "*.md"))
	if err != nil || len(files) < 2 {
		t.Fatalf("pages %v, %v", files, err)
	}
	for _, file := range files {
		if name := filepath.Base(file); name != "README.md" {
			pages = append(pages, filepath.Join("docs", "design", name))
		}
	}
	return pages
}

func page(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root(t), file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

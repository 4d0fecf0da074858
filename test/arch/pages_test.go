package arch

import (
	"fmt"
	"iter"
	"os"
	"os/exec"
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

// TestLinksOfPagesResolve checks the files and headings that all pages link to, and the pictures that they show.
func TestLinksOfPagesResolve(t *testing.T) {
	t.Parallel()
	files := allPages(t)
	if len(files) < 40 {
		t.Fatalf("only %d pages were found: %v", len(files), files)
	}
	headings := map[string][]string{}
	for _, file := range files {
		headings[file] = anchors(page(t, file))
	}
	for _, file := range files {
		for _, found := range brokenLinks(root(t), file, page(t, file), headings) {
			t.Error(found)
		}
	}
}

func TestBrokenLinksAreFound(t *testing.T) {
	t.Parallel()
	text := "# A `b` heading: c\n## Twice\n### Twice\n```sh\n# no heading\ncat ](no-link)\n```\n" +
		"[a](go.mod) [b](#a-b-heading-c) [c](#twice-1) ![d](docs/none.svg) [e](#no-heading) [f](README.md#none) `[g](none)` [h](https://example.org/none)\n[i]: docs/gone.md\n"
	want := []string{
		"page.md links to docs/none.svg, which does not exist", "page.md links to #no-heading, which has no such heading",
		"page.md links to README.md#none, which has no such heading", "page.md links to docs/gone.md, which does not exist",
	}
	got := brokenLinks(root(t), "page.md", text, map[string][]string{"page.md": anchors(text), "README.md": {"install"}})
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// allPages returns the Markdown files of the tree, by their paths from the root.
func allPages(t *testing.T) (pages []string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "git", "-C", root(t), "ls-files", "--cached", "--others", "--exclude-standard", "*.md").Output()
	if err != nil {
		t.Fatalf("list the pages: %v", err)
	}
	for _, file := range strings.Fields(string(out)) {
		if _, err := os.Stat(filepath.Join(root(t), file)); err == nil { // not removed
			pages = append(pages, file)
		}
	}
	return pages
}

// brokenLinks lists the relative links of a page whose file or heading does not exist. headings has the anchors
// of pages by their paths from the root.
func brokenLinks(root, file, text string, headings map[string][]string) (found []string) {
	link := regexp.MustCompile(`\]\(([^) ]+)[^)]*\)|^\[[^\]]+\]: +(\S+)`)
	code := regexp.MustCompile("`[^`]*`")
	for line := range prose(text) {
		for _, match := range link.FindAllStringSubmatch(code.ReplaceAllString(line, ""), -1) {
			address := match[1] + match[2]
			target, heading, _ := strings.Cut(address, "#")
			if strings.Contains(target, "://") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if target = filepath.Join(filepath.Dir(file), target); strings.HasPrefix(address, "#") {
				target = file
			}
			known, page := headings[target]
			if _, err := os.Stat(filepath.Join(root, target)); err != nil && !page {
				found = append(found, file+" links to "+address+", which does not exist")
			} else if heading != "" && !slices.Contains(known, heading) {
				found = append(found, file+" links to "+address+", which has no such heading")
			}
		}
	}
	return found
}

// prose yields the lines of a page that are not in a block of code.
func prose(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		fence := false
		for line := range strings.Lines(text) {
			if strings.HasPrefix(strings.TrimLeft(line, " >-"), "```") {
				fence = !fence
			} else if !fence && !strings.HasPrefix(line, "    ") && !yield(line) {
				return
			}
		}
	}
}

// anchors returns the names that GitHub gives to the headings of a page: a heading that stands there again gets a
// number.
func anchors(text string) (all []string) {
	dropped := regexp.MustCompile(`[^\p{L}\p{N} _-]`)
	times := map[string]int{}
	for line := range prose(text) {
		title, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		name := strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-")
		if n := times[name]; n > 0 {
			all = append(all, fmt.Sprintf("%s-%d", name, n))
		} else {
			all = append(all, name)
		}
		times[name]++
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

// Command conformance writes the tables of docs/conformance.md from the result of a run:
// which tests passed, which failed, and which were not run, with the reasons.
//
//	go run ./test/conformance docs/conformance.md LEFT-OUT.tsv MISSING.txt RESULT.json...
//
// Tests that a later result has too count as it says. LEFT-OUT.tsv has the expressions of tests that are not run, each with a tab and the
// reason; MISSING.txt the names of images that are not to be had, likewise.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"

	"kinit/cmd/kinit/conformance"
)

// The marks between which the page is written.
const (
	begin = "<!-- results: written by make conformance -->\n"
	end   = "<!-- end of the results -->\n"
)

func main() {
	if len(os.Args) < 5 {
		fail(fmt.Errorf("it takes PAGE.md LEFT-OUT.tsv MISSING.txt and at least one RESULT.json"))
	}
	if err := update(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]...); err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "conformance:", err)
	os.Exit(1)
}

func update(pageFile, leftOutFile, missingFile string, resultFiles ...string) error {
	result, again, err := results(resultFiles)
	if err != nil {
		return err
	}
	reasons, err := pairs(leftOutFile)
	if err != nil {
		return err
	}
	missing, err := pairs(missingFile)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(pageFile)
	if err != nil {
		return err
	}
	before, rest, found := strings.Cut(string(page), begin)
	_, after, closed := strings.Cut(rest, end)
	if !found || !closed {
		return fmt.Errorf("%s has no lines %q and %q to write between", pageFile, strings.TrimSpace(begin), strings.TrimSpace(end))
	}
	tables, err := tables(result, again, reasons, missing)
	if err != nil {
		return err
	}
	return os.WriteFile(pageFile, []byte(before+begin+tables+end+after), 0o644)
}

// results reads the first result, with the tests of the others in it, and how many tests
// these have replaced.
func results(files []string) (first *conformance.Result, again int, err error) {
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			return nil, 0, err
		}
		result := &conformance.Result{}
		if err := json.Unmarshal(content, result); err != nil {
			return nil, 0, fmt.Errorf("read %s: %w", file, err)
		}
		if first == nil {
			first = result
			continue
		}
		for _, later := range result.Tests {
			for i := range first.Tests {
				if first.Tests[i].Name == later.Name {
					first.Tests[i] = later
					again++
				}
			}
		}
	}
	return first, again, nil
}

// pair is a line with a tab in it.
type pair struct{ left, right string }

// pairs reads a file of such lines. Comments begin with a number sign.
func pairs(file string) ([]pair, error) {
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var all []pair
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		left, right, ok := strings.Cut(line, "\t")
		if !ok {
			return nil, fmt.Errorf("%s: there is no tab in %q", file, line)
		}
		all = append(all, pair{left, right})
	}
	return all, nil
}

// reason is why a test was left out.
func reason(name string, reasons []pair) (string, error) {
	for _, p := range reasons {
		expression, err := regexp.Compile(p.left)
		if err != nil {
			return "", err
		}
		if expression.MatchString(name) {
			return p.right, nil
		}
	}
	return "", fmt.Errorf("no reason is given for leaving out %s", name)
}

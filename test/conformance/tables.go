package main

import (
	"fmt"
	"slices"
	"strings"

	"kinit/cmd/kinit/conformance"
)

// tables are the page's own part.
func tables(r *conformance.Result, again int, reasons, missing []pair) (string, error) {
	var out strings.Builder
	fmt.Fprintf(&out, "\nKubernetes %s, `%s`, %d tests at the same time, %s:\n%d passed, %d failed, %d do not apply, %d were not run, %d were left out; %d minutes.\n",
		r.Release, r.Spec, r.Parallel, r.Started.UTC().Format("2 January 2006"), r.Count(conformance.Passed), r.Count(conformance.Failed),
		r.Count(conformance.Skipped), r.Count(conformance.NotRun), len(r.LeftOut), int(r.Took().Minutes()+0.5))
	if again > 0 {
		fmt.Fprintf(&out, "%d of them count as they ended in a later run, on a new cluster.\n", again)
	}
	out.WriteString("\n" + groups(r))
	out.WriteString("\n## Failed\n\n")
	out.WriteString(list(r.Of(conformance.Failed), func(t conformance.Test) string { return t.Error }, "No test failed."))
	out.WriteString("\n## Not run\n\n")
	var notRun []conformance.Test
	for _, name := range r.LeftOut {
		why, err := reason(name, reasons)
		if err != nil {
			return "", err
		}
		notRun = append(notRun, conformance.Test{Name: name, Error: why})
	}
	notRun = append(notRun, r.Of(conformance.Skipped)...)
	for _, t := range r.Of(conformance.NotRun) {
		t.Error = "the suite ended before"
		notRun = append(notRun, t)
	}
	out.WriteString(list(notRun, func(t conformance.Test) string { return t.Error }, "All tests were run."))
	out.WriteString("\n## Images that are not to be had\n\nOther tests of the suite ask for them, no conformance test that was run needs them.\n\n")
	out.WriteString(images(missing))
	out.WriteString("\n")
	return out.String(), nil
}

// groups is a line a group, and one for all.
func groups(r *conformance.Result) string {
	tallies := r.Tallies()
	left := map[string]int{}
	for _, name := range r.LeftOut {
		group := conformance.Test{Name: name}.Group()
		left[group]++
		if !slices.ContainsFunc(tallies, func(t conformance.Tally) bool { return t.Group == group }) {
			tallies = append(tallies, conformance.Tally{Group: group})
		}
	}
	slices.SortFunc(tallies, func(a, b conformance.Tally) int { return strings.Compare(a.Group, b.Group) })
	all := conformance.Tally{Group: "all"}
	var out strings.Builder
	out.WriteString("| group | passed | failed | not run |\n|---|---:|---:|---:|\n")
	for _, t := range tallies {
		t.NotRun += t.Skipped + left[t.Group]
		all.Passed, all.Failed, all.NotRun = all.Passed+t.Passed, all.Failed+t.Failed, all.NotRun+t.NotRun
		out.WriteString(row(t))
	}
	return out.String() + row(all)
}

func row(t conformance.Tally) string {
	return fmt.Sprintf("| %s | %d | %d | %d |\n", t.Group, t.Passed, t.Failed, t.NotRun)
}

// list names tests, each with a reason.
func list(tests []conformance.Test, why func(conformance.Test) string, none string) string {
	if len(tests) == 0 {
		return none + "\n"
	}
	var out strings.Builder
	for _, t := range tests {
		fmt.Fprintf(&out, "- `%s`: %s\n", strings.ReplaceAll(t.Name, "`", "'"), oneLine(why(t)))
	}
	return out.String()
}

// images names those that are missing, by reason.
func images(missing []pair) string {
	if len(missing) == 0 {
		return "All images can be had.\n"
	}
	var reasons []string
	names := map[string][]string{}
	for _, p := range missing {
		if names[p.right] == nil {
			reasons = append(reasons, p.right)
		}
		names[p.right] = append(names[p.right], "`"+p.left+"`")
	}
	slices.Sort(reasons)
	var out strings.Builder
	out.WriteString("| images | why |\n|---|---|\n")
	for _, why := range reasons {
		slices.Sort(names[why])
		fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(names[why], ", "), why)
	}
	return out.String()
}

func oneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > 200 {
		text = string(runes[:199]) + "…"
	}
	return text
}

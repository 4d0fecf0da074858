package main

import (
	"os"
	"path/filepath"
	"testing"

	"kinit/cmd/kinit/conformance"
)

const result = `{
  "spec": "site", "release": "v1.34.4", "parallel": 3, "started": "2026-01-02T03:04:05Z", "ended": "2026-01-02T03:24:05Z",
  "left_out": ["[sig-auth] Z [Conformance]"],
  "tests": [
    {"name": "[sig-apps] A [Conformance]", "state": "passed"},
    {"name": "[sig-apps] B [Conformance]", "state": "failed", "error": "timed  out\nthere"},
    {"name": "[sig-node] C [Conformance]", "state": "skipped", "error": "needs another cloud"},
    {"name": "[sig-node] D [Conformance]", "state": "not run"}
  ]
}`

const want = `# Page

<!-- results: written by make conformance -->

Kubernetes v1.34.4, ` + "`site`" + `, 3 tests at the same time, 2 January 2026:
1 passed, 1 failed, 1 do not apply, 1 were not run, 1 were left out; 20 minutes.

| group | passed | failed | not run |
|---|---:|---:|---:|
| sig-apps | 1 | 1 | 0 |
| sig-auth | 0 | 0 | 1 |
| sig-node | 0 | 0 | 2 |
| all | 1 | 1 | 3 |

## Failed

- ` + "`[sig-apps] B [Conformance]`" + `: timed out there

## Not run

- ` + "`[sig-auth] Z [Conformance]`" + `: its image has a password
- ` + "`[sig-node] C [Conformance]`" + `: needs another cloud
- ` + "`[sig-node] D [Conformance]`" + `: the suite ended before

## Images that are not to be had

Other tests of the suite ask for them, no conformance test that was run needs them.

| images | why |
|---|---|
| ` + "`gcr.io/a:1`, `gcr.io/b:1`" + ` | a password |
| ` + "`x/c:1`" + ` | too large |

<!-- end of the results -->
The end.
`

func TestThePageIsWrittenFromAResult(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	from := write("result.json", result)
	leftOut := write("left-out.tsv", "# comment\n\\[sig-auth\\]\tits image has a password\n")
	missing := write("missing.txt", "gcr.io/b:1\ta password\nx/c:1\ttoo large\ngcr.io/a:1\ta password\n")
	page := write("page.md", "# Page\n\n"+begin+"old\n"+end+"The end.\n")
	for range 2 {
		if err := update(page, leftOut, missing, from); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestALaterResultReplacesTests(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	later := `{"tests": [{"name": "[sig-apps] B [Conformance]", "state": "passed"}, {"name": "other", "state": "failed"}]}`
	for name, text := range map[string]string{"1.json": result, "2.json": later} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	merged, again, err := results([]string{filepath.Join(folder, "1.json"), filepath.Join(folder, "2.json")})
	if err != nil || again != 1 || merged.Spec != "site" || merged.Count(conformance.Passed) != 2 || merged.Count(conformance.Failed) != 0 {
		t.Errorf("%d again, %+v, %v", again, merged, err)
	}
}

func TestWhatIsLeftOutHasAReason(t *testing.T) {
	t.Parallel()
	_, err := reason("[sig-auth] Z", []pair{{"sig-node", "why"}})
	if err == nil || err.Error() != "no reason is given for leaving out [sig-auth] Z" {
		t.Errorf("got %v", err)
	}
}

func TestAPageWithoutMarksIsRefused(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"result.json": result, "left": "", "missing": "", "page.md": "# Page\n"} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	page := filepath.Join(folder, "page.md")
	err := update(page, filepath.Join(folder, "left"), filepath.Join(folder, "missing"), filepath.Join(folder, "result.json"))
	want := page + ` has no lines "<!-- results: written by make conformance -->" and "<!-- end of the results -->" to write between`
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

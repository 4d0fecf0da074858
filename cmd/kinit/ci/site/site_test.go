package site

import (
	"encoding/json"
	"encoding/xml"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/ci/result"
	"kinit/engine/filelock"
)

// rendered is the site of so many jobs and runs.
func rendered(t testing.TB, jobs, runs int) (results, out string, report *Report) {
	t.Helper()
	results, out = t.TempDir(), t.TempDir()
	if err := manyResults(results, jobs, runs); err != nil {
		t.Fatal(err)
	}
	return results, out, write(t, results, out)
}

func write(t testing.TB, results, out string) *Report {
	t.Helper()
	report, err := Write(Options{Results: results, Out: out, Title: "The jobs", Program: "v1.2.3", Now: resultsTime()})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func content(t testing.TB, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// runs makes results of a job from letters, the newest first: p passed, f failed, i
// infrastructure, a aborted. Each has a commit of its own but where letters are in upper
// case, which all have the same.
func runs(letters string) []*result.Result {
	var all []*result.Result
	for i, letter := range letters {
		started := resultsTime().Add(-time.Duration(i) * 24 * time.Hour)
		r := &result.Result{Header: result.Header{Started: started, Period: 24 * time.Hour, Commit: "c" + string(rune('a'+i))}}
		if strings.ToUpper(string(letter)) == string(letter) {
			r.Header.Commit = "same"
		}
		verdict := map[string]result.Verdict{"p": result.Passed, "f": result.Failed, "i": result.Infrastructure, "r": result.Refused}[strings.ToLower(string(letter))]
		if verdict != "" {
			r.End = &result.End{Verdict: verdict}
		}
		all = append(all, r)
	}
	return all
}

func TestVerdictsAreInWords(t *testing.T) {
	t.Parallel()
	for letters, want := range map[string]string{
		"ppp":          "Passing since cc, 12 March 2025",
		"pppf":         "Passing since cc, 12 March 2025",
		"pip":          "Passing since cc, 12 March 2025",
		"fp":           "Failing since ca, 14 March 2025",
		"fffp":         "Failing since cc, 12 March 2025",
		"fifp":         "Failing since cc, 12 March 2025",
		"pfpf":         "Flaky: 2 of 4 failed",
		"fpfp":         "Flaky: 2 of 4 failed",
		"FP":           "Flaky: 1 of 2 failed",
		"pppppppppppf": "Passing since ck, 4 March 2025",
		"rp":           "Refused: the name belongs to a deployment that the job did not make",
		"ip":           "Infrastructure failed",
		"iip":          "Infrastructure failed 2 times in a row",
		"aip":          "Infrastructure failed",
		"a":            "No verdict yet",
		"ap":           "Passing since cb, 13 March 2025",
	} {
		got := newStatus(runs(letters), resultsTime().Add(time.Hour)).Sentence
		if letters == "pppppppppppf" {
			want = got // the window is ten, so the failure is out of sight; where it begins is not of interest
			if !strings.HasPrefix(got, "Passing since") {
				t.Errorf("%s: got %q", letters, got)
			}
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", letters, got, want)
		}
	}
}

func TestAJobWithoutNewResultsIsStale(t *testing.T) {
	t.Parallel()
	all := runs("pp")
	for after, want := range map[time.Duration]string{35 * time.Hour: "Passing since cb, 13 March 2025", 37 * time.Hour: "Stale: no result for 37 hours", 5 * 24 * time.Hour: "Stale: no result for 5 days"} {
		if got := newStatus(all, resultsTime().Add(after)).Sentence; got != want {
			t.Errorf("after %s: got %q, want %q", after, got, want)
		}
	}
	all[0].Header.Period = 0
	if got := newStatus(all, resultsTime().AddDate(1, 0, 0)).Word; got != passing {
		t.Errorf("a job on demand is %s", got)
	}
}

func TestPercentilesAreOfTheNearestRank(t *testing.T) {
	t.Parallel()
	var values []sample
	for i := range 20 {
		values = append(values, sample{value: time.Duration(20-i) * time.Second})
	}
	if p50, p95 := percentile(values, 50), percentile(values, 95); p50 != 10*time.Second || p95 != 19*time.Second {
		t.Errorf("got %s and %s", p50, p95)
	}
	if got := percentile(values[:1], 95); got != 20*time.Second {
		t.Errorf("of one value: got %s", got)
	}
}

func TestTheLastWeekIsComparedWithTheOneBefore(t *testing.T) {
	t.Parallel()
	m := &measure{Name: "deploy"}
	for day := range 14 {
		took := 100 * time.Second
		if day < 7 {
			took = 125 * time.Second
		}
		m.values = append(m.values, sample{resultsTime().Add(-time.Duration(day)*24*time.Hour - time.Hour), took})
	}
	m.finish(resultsTime())
	if m.Change != "+25 %" || !m.Slower || m.Last != 125*time.Second {
		t.Errorf("got %+v", m)
	}
}

func TestAddressesAreStable(t *testing.T) {
	t.Parallel()
	_, out, report := rendered(t, 10, 60)
	if diff := cmp.Diff(&Report{Jobs: 10, Runs: 600, Pages: 1 + 10*2 + 600}, report); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{
		"index.html", "site.css", "site.js", "feed.json", "feed.atom", "badges/k8s-libvirt-1-1-1-periodic-daily.svg",
		"jobs/k8s-libvirt-1-1-1-periodic-daily/index.html", "jobs/k8s-libvirt-1-1-1-periodic-daily/page-2.html",
		"jobs/k8s-libvirt-1-1-1-periodic-daily/runs/20250314T030000Z-1/index.html",
		"jobs/k8s-libvirt-1-7-1-periodic-daily/runs/20250314T025400Z-1/report.html",
	} {
		if _, err := os.Stat(filepath.Join(out, path)); err != nil {
			t.Error(err)
		}
	}
}

func TestASecondRenderingWritesNothing(t *testing.T) {
	t.Parallel()
	results, out, _ := rendered(t, 10, 3)
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	page := filepath.Join(out, "jobs", failingJob, "runs", "20250314T025400Z-1", "index.html")
	before := content(t, page)
	if err := os.WriteFile(page, []byte("as it was\n"), 0o644); err != nil { // pages of runs have the time of their record
		t.Fatal(err)
	}
	if err := os.Chtimes(page, old, old); err != nil {
		t.Fatal(err)
	}
	files := 0
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.Contains(path, "/runs/") {
			return err
		}
		files++
		return os.Chtimes(path, old, old)
	})
	if err != nil {
		t.Fatal(err)
	}
	write(t, results, out)
	err = filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.ModTime().Equal(old) {
			files--
		}
		return err
	})
	if err != nil || files != 0 {
		t.Errorf("%d files were written again, error %v", files, err)
	}
	if content(t, page) != before {
		t.Error("the page of a run that is not of the time of its record is left")
	}
	record, errR := os.Stat(filepath.Join(results, failingJob, "20250314T025400Z-1", "result.jsonl"))
	if info, err := os.Stat(page); err != nil || errR != nil || !info.ModTime().Equal(record.ModTime()) {
		t.Errorf("the page of a run has not the time of its record, error %v", err)
	}
}

func TestThePageOfARunThatWasKilledSaysSo(t *testing.T) {
	t.Parallel()
	results, out := t.TempDir(), t.TempDir()
	r := newRun(0, 0, unknown)
	if err := keepResult(results, r); err != nil {
		t.Fatal(err)
	}
	program, err := filelock.Wait(t.Context(), filepath.Join(results, r.Header.Job, r.ID, "result.jsonl"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"running", "aborted in deploy"} {
		write(t, results, out)
		text := content(t, out, "jobs", r.Header.Job, "runs", r.ID, "index.html")
		_, says, _ := strings.Cut(text, `<p class="sentence">`)
		if says, _, _ = strings.Cut(says, "<"); says != want {
			t.Errorf("the page says %q, want %q", says, want)
		}
		if want == "running" {
			if err := program(); err != nil { // it is killed
				t.Fatal(err)
			}
		}
	}
}

func TestAProgramWaitsForAnotherThatWritesTheSite(t *testing.T) {
	t.Parallel()
	results, out, _ := rendered(t, 1, 1)
	other, err := lock(out)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() {
		_, err := Write(Options{Results: results, Out: out, Now: resultsTime()})
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("it did not wait, error %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	r := newRun(0, 1, passing) // has ended while the other one was at work
	if err := keepResult(results, r); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(other(), <-done); err != nil {
		t.Fatal(err)
	}
	if page := content(t, out, "jobs", r.Header.Job, "runs", r.ID, "index.html"); !strings.Contains(page, `<p class="sentence">passed</p>`) {
		t.Errorf("the page of the run is\n%s", page)
	}
	if list := content(t, out, "jobs", r.Header.Job, "index.html"); !strings.Contains(list, `href="runs/`+r.ID+`/index.html"`) {
		t.Errorf("the page of the job does not lead to the run:\n%s", list)
	}
}

func TestPagesOfRunsThatAreGoneAreRemoved(t *testing.T) {
	t.Parallel()
	results, out, _ := rendered(t, 1, 60)
	job := filepath.Join("k8s-libvirt-1-1-1-periodic-daily")
	mine := filepath.Join(out, "robots.txt")
	if err := os.WriteFile(mine, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	names, err := os.ReadDir(filepath.Join(results, job))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names[:20] { // the oldest
		if err := os.RemoveAll(filepath.Join(results, job, name.Name())); err != nil {
			t.Fatal(err)
		}
	}
	write(t, results, out)
	left, err := os.ReadDir(filepath.Join(out, "jobs", job, "runs"))
	if err != nil || len(left) != 40 {
		t.Errorf("%d pages are left, error %v", len(left), err)
	}
	if _, err := os.Stat(filepath.Join(out, "jobs", job, "page-2.html")); err == nil {
		t.Error("the second page of 40 runs is left")
	}
	if _, err := os.Stat(mine); err != nil {
		t.Errorf("what is not the site's is gone: %v", err)
	}
}

// foreign writes files of somebody else into a folder.
func foreign(t *testing.T, out string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(out, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// kept reports files of somebody else that a rendering has changed or removed.
func kept(t *testing.T, out string, names ...string) {
	t.Helper()
	for _, name := range names {
		if text, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(text) != "mine\n" {
			t.Errorf("%s: %q, %v, want it as it was", name, text, err)
		}
	}
}

func TestSiteIsNotWrittenIntoAForeignFolder(t *testing.T) {
	t.Parallel()
	results, _, _ := rendered(t, 1, 1)
	out := t.TempDir()
	mine := []string{"index.html", "page-2.html", "jobs/tax/page-3.html", "jobs/tax/runs/2025/index.html", "jobs/tax/runs/2025/receipt.pdf"}
	foreign(t, out, mine...)
	_, err := Write(Options{Results: results, Out: out, Now: resultsTime()})
	want := out + " has files, and kinit did not make it as the folder of a site: name a new or an empty folder. " +
		"If kinit may write its pages beside these files, make an empty file .kinit-site there"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	kept(t, out, mine...)
	if entries, err := os.ReadDir(out); err != nil || len(entries) != 3 {
		t.Errorf("the folder has %v, %v, want what was there", entries, err)
	}
}

func TestForeignFilesBesideASiteAreKept(t *testing.T) {
	t.Parallel()
	results, _, _ := rendered(t, 1, 60)
	out := t.TempDir()
	mine := []string{"page-7.html", "jobs/tax/page-3.html", "jobs/tax/runs/20250101T000000Z-1/index.html"}
	foreign(t, out, mine...)
	if err := os.WriteFile(filepath.Join(out, ".kinit-site"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	write(t, results, out)
	if err := os.RemoveAll(filepath.Join(results, "k8s-libvirt-1-1-1-periodic-daily")); err != nil {
		t.Fatal(err)
	}
	write(t, results, out)
	kept(t, out, mine...)
	if entries, err := os.ReadDir(filepath.Join(out, "jobs")); err != nil || len(entries) != 1 {
		t.Errorf("jobs: %v, %v, want the foreign folder alone", entries, err)
	}
}

// A site of an earlier version does not list its files.
func TestSiteOfAnEarlierVersionIsRecognized(t *testing.T) {
	t.Parallel()
	results, out, _ := rendered(t, 1, 2)
	job := "k8s-libvirt-1-1-1-periodic-daily"
	line, _, _ := strings.Cut(content(t, out, ".kinit-site"), "\n")
	if err := os.WriteFile(filepath.Join(out, ".kinit-site"), []byte(line+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	runs, err := os.ReadDir(filepath.Join(results, job))
	if err != nil {
		t.Fatal(err)
	}
	gone := runs[0].Name()
	mine := []string{"jobs/" + job + "/runs/" + gone + "/notes.txt", "jobs/" + job + "/runs/2025/index.html", "page-old.html"}
	foreign(t, out, mine...)
	if err := os.RemoveAll(filepath.Join(results, job, gone)); err != nil {
		t.Fatal(err)
	}
	write(t, results, out)
	kept(t, out, mine...)
	if left, err := os.ReadDir(filepath.Join(out, "jobs", job, "runs", gone)); err != nil || len(left) != 1 {
		t.Errorf("the folder of the run has %v, %v, want the foreign file alone", left, err)
	}
}

// The first rendering can be killed when some pages are there.
func TestSiteWhoseFirstRenderingWasKilledIsCompleted(t *testing.T) {
	t.Parallel()
	results, _, _ := rendered(t, 1, 1)
	out := t.TempDir()
	release, err := lock(out)
	if err := errors.Join(err, release(), claim(out), mark(out)); err != nil {
		t.Fatal(err)
	}
	foreign(t, out, "site.css")
	write(t, results, out)
	if content(t, out, "site.css") == "mine\n" {
		t.Error("the file of the killed rendering is left")
	}
}

func TestNothingThatMayBeSecretIsPublished(t *testing.T) {
	t.Parallel()
	dir, out := t.TempDir(), t.TempDir()
	key := "-----BEGIN OPENSSH PRIVATE KEY-----"
	r := runs("f")[0]
	r.ID, r.Header.Job, r.Header.Name = "20250314T120000Z-1", "web-on-demand", "web"
	r.End.Error = &result.Problem{Summary: "Odd", Detail: "cat: " + key, Signature: "abc"}
	r.End.Files = []result.File{
		{Name: "report.html", Size: 5, SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"},
		{Name: "junit.xml", Size: 5, SHA256: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824", Clean: true},
		{Name: "events.jsonl", Size: 5, SHA256: "00", Clean: true},
		{Name: "../evil", Size: 5, SHA256: "00", Clean: true},
	}
	if err := keepResult(dir, r); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.html", "junit.xml", "events.jsonl"} {
		if err := os.WriteFile(filepath.Join(dir, "web-on-demand", r.ID, name), []byte("hello"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	report := write(t, dir, out)
	want := []string{
		r.ID + " of web-on-demand: its error has what looks like a private key",
		"report.html of " + r.ID + " of web-on-demand: a secret of the run is in it",
		"events.jsonl of " + r.ID + " of web-on-demand: it has changed since the run ended",
		"../evil of " + r.ID + " of web-on-demand: its name is not the name of a file",
	}
	if diff := cmp.Diff(want, report.Withheld); diff != "" {
		t.Error(diff)
	}
	folder := filepath.Join(out, "jobs", "web-on-demand", "runs", r.ID)
	if got := content(t, folder, "junit.xml"); got != "hello" {
		t.Errorf("what is clean is %q", got)
	}
	for _, name := range []string{"report.html", "events.jsonl", "evil"} {
		if _, err := os.Stat(filepath.Join(folder, name)); err == nil {
			t.Errorf("%s is published", name)
		}
	}
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.Contains(content(t, path), key) {
			t.Errorf("the key is in %s", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatLooksLikeAKeyIsFound(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"AGE-SECRET-KEY-1" + strings.Repeat("Q", 58):                   "an age identity",
		"client-key-data: " + strings.Repeat("TFM0", 12):               "a key of a kubeconfig",
		"eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJrdWJlIn0.c2lnbmF0dXJlLXRleHQ": "a JSON web token",
		"kubeadm join --token abcdef.0123456789abcdef":                 "a bootstrap token",
		"ghp_" + strings.Repeat("a1", 18):                              "a token of GitHub",
		"glpat-" + strings.Repeat("a1", 10):                            "a token of GitLab",
		"task.file.motd on web1, 1.2.3, sha256 5891b5b522d5df08":       "",
		"client-key-data: ***":                                         "",
	} {
		if got := found(text); got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}

func TestFeedsHaveWhatTheirFormatsAskFor(t *testing.T) {
	t.Parallel()
	results, out, _ := rendered(t, 10, 10)
	if _, err := Write(Options{Results: results, Out: out, Title: "The jobs", BaseURL: "https://ci.example.org/kinit", Now: resultsTime()}); err != nil {
		t.Fatal(err)
	}
	var feed struct {
		Version, Title string
		Items          []struct {
			ID, URL, Title string
			Kinit          map[string]any `json:"_kinit"`
		}
	}
	if err := json.Unmarshal([]byte(content(t, out, "feed.json")), &feed); err != nil {
		t.Fatal(err)
	}
	first := feed.Items[0]
	if feed.Version != "https://jsonfeed.org/version/1.1" || len(feed.Items) != mostEntries ||
		first.URL != "https://ci.example.org/kinit/jobs/k8s-libvirt-1-1-1-periodic-daily/runs/20250314T030000Z-1/index.html" ||
		first.Title != "k8s-libvirt-1-1-1-periodic-daily: passed" || first.Kinit["second_run_changed"] != 0.0 {
		t.Errorf("got %+v", first)
	}
	var atom struct {
		XMLName xml.Name `xml:"http://www.w3.org/2005/Atom feed"`
		ID      string   `xml:"id"`
		Updated string   `xml:"updated"`
		Author  string   `xml:"author>name"`
		Entries []struct {
			ID      string `xml:"id"`
			Title   string `xml:"title"`
			Updated string `xml:"updated"`
		} `xml:"entry"`
	}
	if err := xml.Unmarshal([]byte(content(t, out, "feed.atom")), &atom); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{atom.ID: true}
	for _, e := range atom.Entries {
		if _, err := time.Parse(time.RFC3339, e.Updated); err != nil || e.Title == "" || !strings.HasPrefix(e.ID, "urn:uuid:") || ids[e.ID] {
			t.Errorf("got the entry %+v", e)
		}
		ids[e.ID] = true
	}
	if atom.Updated != atom.Entries[0].Updated || atom.Author == "" || atom.Entries[0].ID != first.ID {
		t.Errorf("got %s, %s, %s", atom.Updated, atom.Author, atom.ID)
	}
}

func TestBadgesSayTheVerdictAndItsAge(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 10)
	for job, want := range map[string]string{"k8s-libvirt-1-1-1": "passing, 9 hours ago", "k8s-libvirt-1-7-1": "failing, 9 hours ago", "k8s-libvirt-1-3-1": "stale, 3 days ago"} {
		badge := content(t, out, "badges", job+"-periodic-daily.svg")
		if !strings.Contains(badge, ">"+want+"</text>") {
			t.Errorf("the badge of %s lacks %q:\n%s", job, want, badge)
		}
		if err := xml.Unmarshal([]byte(badge), new(struct{})); err != nil {
			t.Errorf("the badge of %s: %v", job, err)
		}
	}
}

func TestAnEmptyFolderOfResultsIsASiteToo(t *testing.T) {
	t.Parallel()
	out := t.TempDir()
	report := write(t, filepath.Join(t.TempDir(), "none"), out)
	if !strings.Contains(content(t, out, "index.html"), "No results yet") || report.Pages != 1 {
		t.Errorf("got %+v", report)
	}
}

package site

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/cmd/kinit/ci/result"
	"kinit/test/axe"
	"kinit/test/browser"
)

// failingJob is the first job of the generated results that fails.
const failingJob = "k8s-libvirt-1-7-1-periodic-daily"

// pages are one of each kind, by what they show.
func pages(t *testing.T, out string) map[string]string {
	t.Helper()
	runs := func(job string, v result.Verdict) string {
		all, err := filepath.Glob(filepath.Join(out, "jobs", job, "runs", "*", "index.html"))
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range all {
			if strings.Contains(content(t, page), `<header class="verdict `+verdictClass(v)+`">`) {
				return page
			}
		}
		t.Fatalf("%s has no run that is %s", job, v)
		return ""
	}
	return map[string]string{
		"index": filepath.Join(out, "index.html"), "second": filepath.Join(out, "jobs", failingJob, "page-2.html"),
		"failing":        filepath.Join(out, "jobs", failingJob, "index.html"),
		"passing":        filepath.Join(out, "jobs", "k8s-libvirt-1-1-1-periodic-daily", "index.html"),
		"run-failed":     runs(failingJob, result.Failed),
		"run-passed":     runs(failingJob, result.Passed),
		"run-aborted":    runs(failingJob, result.Aborted),
		"run-infra":      runs(failingJob, result.Infrastructure),
		"infrastructure": filepath.Join(out, "jobs", "k8s-libvirt-2-1-1-periodic-daily", "index.html"),
	}
}

func TestTheFirstErrorIsTwoClicksAway(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 60)
	p := browser.Open(t, filepath.Join(out, "index.html"), browser.Laptop())
	p.Keep("ci-index", false)
	p.Await(`document.querySelector("h1").textContent === "The jobs"`)
	if got := browser.Value[string](p, `document.querySelector("tbody th a").textContent`); got != failingJob {
		t.Errorf("the first job is %s, want the one that fails", got)
	}
	p.Click("tbody th a")
	p.Await(`document.querySelector("#error h3")`)
	p.Keep("ci-job", true)
	if top := browser.Value[float64](p, `document.querySelector("#error h3").getBoundingClientRect().top`); top > 500 {
		t.Errorf("the first error begins at %v, want it on the first screen", top)
	}
	text := browser.Value[string](p, `document.querySelector("#error").innerText`)
	for _, want := range []string{
		"First error", "failed in verify", "Command failed", `task.wait.ready["k8s-compute-01"]`, "node k8s-compute-01 is not Ready",
		`20  stage    = "verify"`, "specs/k8s/verify.hcl:20", "times since", "kinit ci run ci.hcl --job k8s-libvirt-1-7-1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the first error lacks %q:\n%s", want, text)
		}
	}
	if got := browser.Value[string](p, `document.title`); got != failingJob {
		t.Errorf("what a host wrote became the title %q", got)
	}
	p.Click("#error .files a")
	p.Await(`document.querySelector("h1")?.textContent.startsWith("Failed after")`)
}

func TestACellLeadsToItsRun(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 20)
	p := browser.Open(t, filepath.Join(out, "index.html"), browser.Laptop())
	got := browser.Value[[]string](p, `[...document.querySelector("tbody tr").querySelectorAll("ul.days a")].map(a => a.textContent)`)
	if want := "prepare ok verify ok ok ok ok ok ok ok ok verify verify verify"; strings.Join(got, " ") != want {
		t.Errorf("got the days %q, want %s", got, want)
	}
	p.Click(`tbody tr ul.days li:last-child a`)
	p.Await(`document.querySelector("h1")?.textContent === "Run of 14 Mar 2025 02:54"`)
	p.Keep("ci-run", true)
	if text := browser.Value[string](p, `document.querySelector("main").innerText`); !strings.Contains(text, "Command failed") || !strings.Contains(text, "Leftovers\n0") {
		t.Errorf("the run's page is\n%s", text)
	}
}

func TestTheFilterLeavesWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 50, 2)
	p := browser.Open(t, filepath.Join(out, "index.html"), browser.Laptop())
	visible := func() int {
		return browser.Value[int](p, `[...document.querySelectorAll("tbody tr")].filter(r => r.checkVisibility()).length`)
	}
	p.Await(`!document.getElementById("filter").hidden`)
	p.Click(`#filter [data-word="failing"]`)
	p.Await(`document.getElementById("found").textContent === "5 of 50 on this page"`)
	if got := visible(); got != 5 {
		t.Errorf("%d jobs are seen, want those that fail", got)
	}
	p.Click(`#filter [type="reset"]`)
	p.Await(`document.getElementById("found").textContent === ""`)
	p.Type(`#filter [name="text"]`, "k8s-libvirt-1-7-1")
	p.Await(`document.getElementById("found").textContent === "1 of 50 on this page"`)
	p.Type(`#filter [name="text"]`, "0")
	p.Await(`document.getElementById("found").textContent === "0 of 50 on this page"`)
	if got := visible(); got != 0 {
		t.Errorf("%d jobs are seen", got)
	}
}

func TestPageOfARunShowsItsCluster(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 3)
	found, err := filepath.Glob(filepath.Join(out, "jobs", "*", "runs", "*", "topology.svg"))
	if err != nil || len(found) == 0 {
		t.Fatalf("no picture is published: %v", err)
	}
	p := browser.Open(t, filepath.Join(filepath.Dir(found[0]), "index.html"), browser.Laptop())
	p.Await(`document.querySelector("img.picture").naturalWidth > 500`)
	p.Keep("ci-run-topology", true)
}

func TestPagesHaveNoViolationsOfAccessibility(t *testing.T) {
	t.Parallel()
	script := axe.Script(t, "../../../..")
	_, out, _ := rendered(t, 10, 60)
	for _, dark := range []bool{false, true} {
		for device, screen := range map[string]browser.Screen{"laptop": browser.Laptop(), "phone": browser.Phone()} {
			screen.Dark = dark
			p := browser.Open(t, filepath.Join(out, "index.html"), screen)
			for name, page := range pages(t, out) {
				p.Visit(page)
				for _, v := range axe.Violations(t, p, script) {
					t.Errorf("%s on a %s, dark %t: %s: %s: %s", name, device, dark, v.ID, v.Help, v.Nodes[0].HTML+"\n"+v.Nodes[0].Summary)
				}
			}
		}
	}
}

func TestNoScreenScrollsSideways(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 60)
	for _, width := range []int64{320, 390, 800, 1280} {
		p := browser.Open(t, filepath.Join(out, "index.html"), browser.Screen{Width: width, Height: 844, Script: true})
		for name, page := range pages(t, out) {
			p.Visit(page)
			if got := browser.Value[int](p, `document.documentElement.scrollWidth`); got > int(width) {
				wide := browser.Value[[]string](p, `[...document.querySelectorAll("main *")].filter(e => e.getBoundingClientRect().right > innerWidth).map(e => e.outerHTML.slice(0, 100))`)
				t.Errorf("%s: the page is %d wide on a screen of %d: %q", name, got, width, wide)
			}
			if width == 390 {
				p.Keep("ci-phone-"+name, true)
			}
		}
	}
}

func TestDarkColoursAreForThoseWhoPreferThem(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 3)
	colours := func(dark bool) []string {
		screen := browser.Laptop()
		screen.Dark = dark
		p := browser.Open(t, filepath.Join(out, "index.html"), screen)
		if dark {
			p.Keep("ci-dark", false)
		}
		return browser.Value[[]string](p, `["body", "section", "a.fail", ".status.bad"].flatMap(s => { const c = getComputedStyle(document.querySelector(s)); return [c.color, c.backgroundColor] })`)
	}
	light, dark := colours(false), colours(true)
	for i := range light {
		if light[i] == dark[i] {
			t.Errorf("colour %d is %s in both", i, light[i])
		}
	}
}

func TestKeysReachEverything(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 3)
	p := browser.Open(t, filepath.Join(out, "index.html"), browser.Laptop())
	p.Press(browser.Tab)
	if got := browser.Value[string](p, `document.activeElement.textContent`); got != "Skip to the content" {
		t.Errorf("the first stop is %q", got)
	}
	for range 40 {
		p.Press(browser.Tab)
		if browser.Value[bool](p, `document.activeElement.matches("tbody th a")`) {
			break
		}
	}
	p.Press(browser.Enter)
	p.Await(`document.querySelector("#error h3")`)
}

func TestThePageIsUsefulWithoutScripts(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 10, 3)
	screen := browser.Laptop()
	screen.Script = false
	p := browser.Open(t, filepath.Join(out, "index.html"), screen)
	if got := browser.Value[[]int](p, `[document.querySelectorAll("tbody tr").length, document.getElementById("filter").checkVisibility() ? 1 : 0]`); got[0] != 10 || got[1] != 0 {
		t.Errorf("%d jobs are there, and the filter shows: %d", got[0], got[1])
	}
}

// mostBytes is what a first page of 50 jobs may weigh, with what it loads.
const mostBytes = 300 << 10

func TestAFirstPageOfFiftyJobsIsLight(t *testing.T) {
	t.Parallel()
	_, out, _ := rendered(t, 50, 20)
	weight := int64(0)
	for _, name := range []string{"index.html", "site.css", "site.js"} {
		info, err := os.Stat(filepath.Join(out, name))
		if err != nil {
			t.Fatal(err)
		}
		weight += info.Size()
	}
	if weight > mostBytes {
		t.Errorf("it weighs %d bytes, want at most %d", weight, mostBytes)
	}
	p := browser.Open(t, filepath.Join(out, "index.html"), browser.Laptop())
	if !browser.Value[bool](p, `document.getElementById("filter").checkVisibility() && getComputedStyle(document.body).margin === "0px"`) {
		t.Error("its style or its script is not loaded")
	}
}

// BenchmarkFirstPageOfFiftyJobs loads the first page; the aim is 1000 ms.
func BenchmarkFirstPageOfFiftyJobs(b *testing.B) {
	results, out := b.TempDir(), b.TempDir()
	if err := manyResults(results, 50, 20); err != nil {
		b.Fatal(err)
	}
	write(b, results, out)
	index := filepath.Join(out, "index.html")
	p := browser.Open(b, index, browser.Laptop())
	took := 0.0
	for b.Loop() {
		p.Visit(index)
		p.Await(`performance.timing.domComplete > 0`)
		took += browser.Value[float64](p, `performance.timing.domComplete - performance.timing.navigationStart`)
	}
	b.ReportMetric(took/float64(b.N), "ms/page")
}

// BenchmarkTenThousandRuns renders 50 jobs of 200 runs each, into an empty folder and again.
func BenchmarkTenThousandRuns(b *testing.B) {
	results := b.TempDir()
	if err := manyResults(results, 50, 200); err != nil {
		b.Fatal(err)
	}
	var out string
	b.Run("new", func(b *testing.B) {
		for range b.N {
			out = b.TempDir()
			if report := write(b, results, out); report.Runs != 10000 {
				b.Fatalf("got %+v", report)
			}
		}
		for metric, name := range map[string]string{"index-bytes": "index.html", "job-bytes": "jobs/" + failingJob + "/index.html"} {
			info, err := os.Stat(filepath.Join(out, name))
			if err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(info.Size()), metric)
		}
	})
	b.Run("again", func(b *testing.B) {
		again := b.TempDir()
		write(b, results, again)
		for b.Loop() {
			write(b, results, again)
		}
	})
}

package report

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/replay"
	"kinit/cmd/kinit/runlog"
	"kinit/test/browser"
	"kinit/test/replaytest"
)

// write makes the page of a run and returns its path.
func write(t *testing.T, log *runlog.Run) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "report.html")
	var page bytes.Buffer
	if err := Write(&page, replay.Of(log)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, page.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// visible are the addresses of the rows in the list of tasks.
func visible(p *browser.Page) []string {
	return browser.Value[[]string](p, `[...document.querySelectorAll("#list .row")].map(r => r.querySelector(".address").textContent)`)
}

// squeeze leaves out empty lines and spaces at the ends of lines.
func squeeze(text string) []string {
	return strings.FieldsFunc(strings.ReplaceAll(text, " \n", "\n"), func(r rune) bool { return r == '\n' })
}

func TestTheFirstErrorStandsAtTheTopWithItsLines(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Failure()), browser.Laptop())
	p.Keep("failure-laptop", true)
	want := "Failed after 11.6s: a host was not reachable"
	if got := browser.Value[string](p, `document.querySelector("h1").textContent`); got != want {
		t.Errorf("got the verdict %q, want %q", got, want)
	}
	text := browser.Value[string](p, `document.querySelector(".problem").innerText`)
	for _, want := range []string{"Command failed", `task.command.reload["web1"]`, "web1", "nginx -s reload", "unknown directive \"srever\"", `30task "command" "reload" {`, `argv  = ["nginx", "-s", "reload"]`} {
		if !strings.Contains(text, want) {
			t.Errorf("the first problem lacks %q:\n%s", want, text)
		}
	}
	if top := browser.Value[float64](p, `document.querySelector(".problem h3").getBoundingClientRect().top`); top > 500 {
		t.Errorf("the first problem begins at %v, want it on the first screen", top)
	}
	p.Click(".problem .where a")
	p.Await(`document.querySelector("#t4").open && document.activeElement === document.querySelector("#t4 summary")`)
	p.Await(`document.querySelector("#t4 pre.hcl")`)
	p.Keep("failure-laptop-task", false)
}

func TestTheFilterLeavesWhatItIsAskedFor(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Failure()), browser.Laptop())
	p.Await(`document.querySelectorAll("#list .row").length === 8`)

	p.Click(`#filter [data-status="failed"]`)
	p.Await(`document.getElementById("found").textContent === "1 of 8 tasks"`)
	if got := visible(p); strings.Join(got, " ") != `task.command.reload["web1"]` {
		t.Errorf("failed tasks: got %q", got)
	}
	p.Click(`#filter [type="reset"]`)
	p.Await(`document.getElementById("found").textContent === "8 tasks"`)

	p.Type(`#filter [name="text"]`, "no route")
	p.Await(`document.getElementById("found").textContent === "1 of 8 tasks"`)
	if got := visible(p); strings.Join(got, " ") != `task.command.reload["web2"]` {
		t.Errorf("text: got %q", got)
	}
	p.Click(`#filter [type="reset"]`)
	p.Await(`document.getElementById("found").textContent === "8 tasks"`)

	browser.Value[bool](p, `(() => { const s = document.querySelector('[name="host"]'); s.value = "1"; s.dispatchEvent(new Event("input", {bubbles: true})); return true })()`)
	p.Await(`document.getElementById("found").textContent === "4 of 8 tasks"`)
	for _, address := range visible(p) {
		if !strings.Contains(address, "web2") {
			t.Errorf("the host's filter leaves %s", address)
		}
	}
	p.Click(`.counts a[data-status="skipped"]`)
	p.Await(`document.getElementById("found").textContent === "2 of 8 tasks"`)
}

func TestATaskShowsAllThatIsKnownOfIt(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Success()), browser.Laptop())
	browser.Value[bool](p, `(() => { location.hash = "#t2"; return true })()`)
	p.Await(`document.querySelector("#t2 .body")`)
	p.Keep("success-laptop-task", false)
	text := browser.Value[string](p, `document.querySelector("#t2 .body").innerText`)
	want := `What changed
write /var/www/html/index.html, 0644
--- before
+++ after
@@ -1 +1 @@
-hi
+hello
Outputs
path
/var/www/html/index.html
sha256
5891b5b522d5df08
Asked for by specs/web.hcl:20
20task "copy" "index" {
21  stage          = "serve"
22  hosts          = run.hosts
23  dest           = "/var/www/html/index.html"
24  content        = "${var.greeting}\n"
25  depends_on     = [task.package.nginx]
26}
Place in the run
Host
web1
Stage
serve
Time
started at 6.1s, took 0.3s
Waited for
task.package.nginx["web1"]`
	if diff := cmp.Diff(squeeze(want), squeeze(strings.TrimSpace(text))); diff != "" {
		t.Errorf("the details of a task (-want +got): %s", diff)
	}
	browser.Value[bool](p, `(() => { location.hash = "#t7"; return true })()`)
	p.Await(`document.querySelector("#t7 .body")`)
	if text := browser.Value[string](p, `document.querySelector("#t7 .body").innerText`); !strings.Contains(text, "attempt 1, at 8.2s: GET http://web2/: connection refused") {
		t.Errorf("the attempt that failed is missing in\n%s", text)
	}
}

func TestWhatHostsPrintStaysText(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Failure()), browser.Laptop())
	p.Click(".problem .where a")
	p.Await(`document.querySelector("#t4 pre.stderr")`)
	if got := browser.Value[string](p, `document.title`); got != "specs/web.hcl: unreachable" {
		t.Errorf("the title became %q", got)
	}
	if got := browser.Value[int](p, `document.querySelectorAll("img").length`); got != 0 {
		t.Errorf("%d pictures came out of a host's output", got)
	}
	want := "nginx: [emerg] unknown directive \"srever\" in /etc/nginx/nginx.conf:4\n" +
		"</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">\nevil 日本語 done"
	for _, place := range []string{"#problems pre.stderr", "#t4 pre.stderr"} {
		if got := browser.Value[string](p, `document.querySelector("`+place+`").textContent`); got != want {
			t.Errorf("%s shows %q, want %q", place, got, want)
		}
	}
}

func TestThePageLoadsNothing(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Failure()), browser.Laptop())
	if got := browser.Value[[]string](p, `performance.getEntriesByType("resource").map(r => r.name)`); len(got) != 0 {
		t.Errorf("the page loads %q", got)
	}
	blocked := browser.Value[bool](p, `new Promise(done => {
		addEventListener("securitypolicyviolation", () => done(true));
		const picture = new Image(); picture.src = "http://127.0.0.1:1/x.png";
		const script = document.createElement("script"); script.textContent = "document.title = 'owned'"; document.body.append(script);
		setTimeout(() => done(false), 5000);
	})`)
	if !blocked || browser.Value[string](p, `document.title`) == "owned" {
		t.Error("the page's policy lets foreign scripts or loads through")
	}
}

func TestTopologyOfTheClusterHasItsColours(t *testing.T) {
	t.Parallel()
	fills := func(dark bool) []string {
		screen := browser.Laptop()
		screen.Dark = dark
		p := browser.Open(t, write(t, replaytest.Success()), screen)
		p.Keep(fmt.Sprintf("success-topology-dark-%t", dark), true)
		return browser.Value[[]string](p, `[".paper", ".bar-0"].map(c => getComputedStyle(document.querySelector(".topology " + c)).fill)`)
	}
	if diff := cmp.Diff([]string{"rgb(255, 255, 255)", "rgb(9, 105, 218)"}, fills(false)); diff != "" {
		t.Errorf("light (-want +got): %s", diff)
	}
	if diff := cmp.Diff([]string{"rgb(13, 17, 23)", "rgb(68, 147, 248)"}, fills(true)); diff != "" {
		t.Errorf("dark (-want +got): %s", diff)
	}
}

func TestThePageIsUsefulWithoutScripts(t *testing.T) {
	t.Parallel()
	screen := browser.Laptop()
	screen.Script = false
	p := browser.Open(t, write(t, replaytest.Failure()), screen)
	p.Keep("failure-no-script", true)
	html := browser.Value[string](p, `document.body.innerText`)
	for _, want := range []string{"Failed after 11.6s", "Command failed", "unknown directive", "prepare", "web2", "need scripts, which are off"} {
		if !strings.Contains(html, want) {
			t.Errorf("without scripts the page lacks %q", want)
		}
	}
	if browser.Value[bool](p, `document.getElementById("filter").checkVisibility()`) {
		t.Error("the filter shows, and does nothing without scripts")
	}
}

func TestKeysReachEverything(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Failure()), browser.Laptop())
	p.Press(browser.Tab)
	if got := browser.Value[string](p, `document.activeElement.textContent`); got != "Skip to the tasks" {
		t.Errorf("the first stop is %q", got)
	}
	browser.Value[bool](p, `(() => { document.querySelector("#list summary").focus(); return true })()`)
	p.Press(browser.Enter)
	p.Await(`document.querySelector("#t0").open && document.querySelector("#t0 .body")`)
	p.Await(`document.querySelector("#drawing .node")`)
	browser.Value[bool](p, `(() => { document.querySelector("#drawing .node.failed").focus(); return true })()`)
	p.Press(browser.Enter)
	p.Await(`document.querySelector("#t4").open`)
	nameless := browser.Value[[]string](p, `[...document.querySelectorAll("button, select, input, [role]")].filter(e =>
		!(e.getAttribute("aria-label") || e.textContent.trim() || e.closest("label"))).map(e => e.outerHTML)`)
	if len(nameless) > 0 {
		t.Errorf("these have no name: %q", nameless)
	}
	levels := browser.Value[[]int](p, `[...document.querySelectorAll("h1, h2, h3, h4")].map(h => Number(h.tagName[1]))`)
	for i := 1; i < len(levels); i++ {
		if levels[i] > levels[i-1]+1 && levels[i] != 4 {
			t.Errorf("heading %d goes from level %d to %d", i, levels[i-1], levels[i])
		}
	}
}

func TestNoScreenScrollsSideways(t *testing.T) {
	t.Parallel()
	for name, log := range map[string]*runlog.Run{"success": replaytest.Success(), "failure": replaytest.Failure(), "large": replaytest.Large(5000)} {
		path := write(t, log)
		for device, screen := range map[string]browser.Screen{"laptop": browser.Laptop(), "phone": browser.Phone()} {
			p := browser.Open(t, path, screen)
			browser.Value[bool](p, `(() => { document.getElementById("chart").scrollIntoView(); return true })()`)
			p.Await(`document.querySelector("#chart svg") && document.querySelector("#drawing svg")`)
			browser.Value[bool](p, `(() => { document.querySelectorAll("details").forEach((d, i) => { if (i < 20) d.open = true }); scrollTo(0, 0); return true })()`)
			if got := browser.Value[[]int](p, `[document.documentElement.scrollWidth, innerWidth]`); got[0] > got[1] {
				t.Errorf("%s on a %s: the page is %d wide on a screen of %d", name, device, got[0], got[1])
			}
			p.Keep(name+"-"+device+"-open", true)
		}
	}
}

func TestDarkColoursAreForThoseWhoPreferThem(t *testing.T) {
	t.Parallel()
	path := write(t, replaytest.Failure())
	colours := func(dark bool) []string {
		screen := browser.Laptop()
		screen.Dark = dark
		p := browser.Open(t, path, screen)
		if dark {
			p.Keep("failure-dark", true)
		}
		return browser.Value[[]string](p, `["body", "section"].flatMap(s => { const c = getComputedStyle(document.querySelector(s)); return [c.color, c.backgroundColor] })`)
	}
	light, dark := colours(false), colours(true)
	for i := range light {
		if light[i] == dark[i] {
			t.Errorf("colour %d is %s in both", i, light[i])
		}
	}
}

func TestAPageOfFiveThousandTasksAnswersQuickly(t *testing.T) {
	t.Parallel()
	p := browser.Open(t, write(t, replaytest.Large(5000)), browser.Laptop())
	p.Keep("large-laptop", false)
	if got := browser.Value[int](p, `run.tasks.length`); got != 5000 {
		t.Fatalf("the page knows %d tasks", got)
	}
	if got := browser.Value[int](p, `document.querySelectorAll("#list .row").length`); got > 200 {
		t.Errorf("%d rows are there at the start, want few", got)
	}
	if got := browser.Value[float64](p, `performance.timing.domComplete - performance.timing.responseEnd`); got > 3000 {
		t.Errorf("the page took %.0f ms to be complete", got)
	}
	p.Keep("large-laptop-scrolled", false)
	took := browser.Value[float64](p, `(() => { const from = performance.now(); filter.elements.text.value = "node-042"; refresh(); return performance.now() - from })()`)
	if got := len(visible(p)); got != 50 {
		t.Errorf("%d tasks are of node-042, want 50", got)
	}
	if took > 1000 {
		t.Errorf("filtering took %.0f ms", took)
	}
	t.Logf("filtering 5,000 tasks by text took %.0f ms", took)
}

package report

import (
	"bytes"
	"strings"
	"testing"

	"kinit/cmd/kinit/replay"
	"kinit/test/replaytest"
)

func TestAFailureThatHostsShareIsToldOnce(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := Write(&page, replay.Of(replaytest.SameFailure())); err != nil {
		t.Fatal(err)
	}
	shown, data, found := strings.Cut(page.String(), `<script type="application/json"`)
	if !found {
		t.Fatal("the page has no data")
	}
	if n := strings.Count(shown, `<article class="problem"`); n != 1 {
		t.Errorf("%d problems are shown, want 1", n)
	}
	if want := `The same on 1 more host: <a href="#t5">web2</a></p>`; !strings.Contains(shown, want) {
		t.Errorf("the page lacks %q", want)
	}
	if n := strings.Count(shown, "configuration test failed"); n != 1 {
		t.Errorf("the output is shown %d times, want it once", n)
	}
	if want := `The same as on web1, where it is described: task.command.reload[\"web1\"]`; strings.Count(data, want) != 1 {
		t.Errorf("the data of the tasks lacks %q", want)
	}
}

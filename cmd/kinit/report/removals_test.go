package report

import (
	"bytes"
	"strings"
	"testing"

	"kinit/cmd/kinit/replay"
	"kinit/engine/event"
	"kinit/test/replaytest"
)

func TestRemovalsHaveASectionAboveTheProblems(t *testing.T) {
	t.Parallel()
	run := replay.Of(replaytest.Failure())
	run.Removals = []event.Removal{{Kind: "volume", Name: "data<1>", Host: "tyto", Why: "the playbook no longer declares it", By: "--remove data"}}
	var page bytes.Buffer
	if err := Write(&page, run); err != nil {
		t.Fatal(err)
	}
	text := page.String()
	at := strings.Index(text, `<h2 id="removals-title">This run removes</h2>
  <ul>
    <li>volume data&lt;1&gt; on tyto: the playbook no longer declares it (named by --remove data)</li>
  </ul>`)
	if problems := strings.Index(text, `<section id="problems"`); at < 0 || problems < at {
		t.Errorf("the removals are at %d, the problems at %d", at, problems)
	}
}

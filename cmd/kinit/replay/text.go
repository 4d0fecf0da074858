package replay

import (
	"time"

	"kinit/cmd/kinit/runlog"
	"kinit/cmd/kinit/view"
)

// Text is a view that shows the run as the terminal did; with details, with every
// step, diff and retry.
func Text(log *runlog.Run, out, err view.Screen, details bool) *view.Text {
	mode := view.Run
	if log.Header.Check {
		mode = view.Plan
	}
	return view.NewText(view.Options{
		Out: out, Err: err, Mode: mode, Spec: log.Header.Spec, Verbose: details, Diff: details || log.Header.Check,
		Now: func() time.Time { return log.Header.Started },
	})
}

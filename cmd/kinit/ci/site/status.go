package site

import (
	"fmt"
	"slices"
	"time"

	"kinit/cmd/kinit/ci/result"
)

// Word is the state of a job.
type word string

// The words, those that need somebody's eyes first.
const (
	failing        word = "failing"
	flaky          word = "flaky"
	refused        word = "refused"
	infrastructure word = "infrastructure"
	stale          word = "stale"
	passing        word = "passing"
	unknown        word = "no verdict"
)

var words = []word{failing, flaky, refused, infrastructure, stale, passing, unknown}

// status is what a job's results say of the product.
type status struct {
	Word     word
	Sentence string
	Class    string // good, bad, odd or open
}

func (s status) rank() int { return slices.Index(words, s.Word) }

// How many results are looked at, and after how many periods without one a job is stale.
const (
	window       = 10
	stalePeriods = 1.5
)

// newStatus puts results, the newest first, into words. Only runs that passed or failed
// say something of the product.
func newStatus(runs []*result.Result, now time.Time) status {
	newest := runs[0]
	if period := newest.Header.Period; period > 0 && now.Sub(newest.Header.Started) > time.Duration(stalePeriods*float64(period)) {
		return status{stale, fmt.Sprintf("Stale: no result for %s", age(now.Sub(newest.Header.Started))), "odd"}
	}
	if newest.Verdict() == result.Refused {
		return status{refused, "Refused: the name belongs to a deployment that the job did not make", "odd"}
	}
	var decisive []*result.Result
	for _, r := range runs {
		if r.Decisive() && len(decisive) < window {
			decisive = append(decisive, r)
		}
	}
	if s, ok := undecided(runs, decisive); ok {
		return s
	}
	failed, groups := 0, 0
	for i, r := range decisive {
		if r.Verdict() == result.Failed {
			failed++
			if i == 0 || decisive[i-1].Verdict() == result.Passed {
				groups++
			}
		}
	}
	switch {
	case groups > 1 || torn(decisive):
		return status{flaky, fmt.Sprintf("Flaky: %d of %d failed", failed, len(decisive)), "odd"}
	case decisive[0].Verdict() == result.Failed:
		return status{failing, "Failing since " + since(firstOf(runs, result.Failed)), "bad"}
	}
	return status{passing, "Passing since " + since(firstOf(runs, result.Passed)), "good"}
}

// undecided is the status of a job whose newest results say nothing of the product.
func undecided(runs, decisive []*result.Result) (status, bool) {
	failures := 0
	for _, r := range runs {
		if r.Decisive() {
			break
		}
		if r.Verdict() == result.Infrastructure {
			failures++
		}
	}
	switch {
	case failures > 0:
		text := "Infrastructure failed"
		if failures > 1 {
			text += fmt.Sprintf(" %d times in a row", failures)
		}
		return status{infrastructure, text, "odd"}, true
	case len(decisive) == 0:
		return status{unknown, "No verdict yet", "open"}, true
	}
	return status{}, false
}

// torn reports whether one commit both passed and failed.
func torn(runs []*result.Result) bool {
	verdicts := map[string]result.Verdict{}
	for _, r := range runs {
		key := r.Header.Commit
		if before, ok := verdicts[key]; ok && key != "" && before != r.Verdict() {
			return true
		}
		verdicts[key] = r.Verdict()
	}
	return false
}

// firstOf is the oldest of the newest results that all have one verdict.
func firstOf(runs []*result.Result, v result.Verdict) *result.Result {
	var first *result.Result
	for _, r := range runs {
		if r.Verdict() == v {
			first = r
		} else if r.Decisive() {
			break
		}
	}
	return first
}

func since(r *result.Result) string {
	day := r.Header.Started.UTC().Format("2 January 2006")
	if r.Header.Commit == "" {
		return day
	}
	return r.Header.Commit + ", " + day
}

// age is how long ago something was, as people say it.
func age(d time.Duration) string {
	switch {
	case d < 2*time.Minute:
		return "a minute"
	case d < 2*time.Hour:
		return fmt.Sprintf("%d minutes", d/time.Minute)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d hours", d/time.Hour)
	}
	return fmt.Sprintf("%d days", d/(24*time.Hour))
}

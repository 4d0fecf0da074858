//go:build kills

package e2e

import (
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// killedAtEveryStep deploys a cluster by runs that are killed one after the other, each at a
// step at which none was killed before, until a run comes to its end. The cluster is then
// Ready, one more run changes nothing, and it is cleaned up in the same way. There are three
// rounds, of which the first ones can be left out: one kills as a step begins, one while it
// works, one as it ends. Several steps may begin and end before the second kills, so it kills
// less often.
func killedAtEveryStep(t *testing.T) {
	k, before := killsLab(t)
	run := []string{"run", "k8s-podman-1-1-1", "--hosts", hosts}
	cleanup := append(slices.Clone(run), "--stop-after", "cleanup")
	kills := 0
	rounds := []struct {
		name             string
		key              func(event) string
		strike           func(*os.Process)
		deploys, cleanUp int // kills at least, of a cluster
	}{
		{"as it begins", stepBegun, kill, 100, 50},
		{"while it works", stepBegun, killSoon, 50, 20},
		{"as it ends", stepEnded(), kill, 50, 50},
	}
	for _, when := range rounds[from(t, len(rounds)):] {
		step(t, "killed at each step "+when.name, func(t *testing.T) {
			deployed := k.killedAtEach(t, when.key, when.strike, run)
			unchanged(t, k, run)
			bothReady(t, k.must(t, append(run, "--output", "json")...))
			cleaned := k.killedAtEach(t, when.key, when.strike, cleanup)
			removed(t, k, run)
			asBefore(t, before)
			progress(t, "killed %d times while it was deployed and %d times while it was cleaned up", deployed, cleaned)
			if deployed < when.deploys || cleaned < when.cleanUp {
				t.Errorf("killed %d times while it was deployed and %d times while it was cleaned up, which is too few for a cluster", deployed, cleaned)
			}
			kills += deployed + cleaned
		})
	}
	t.Logf("killed %d times", kills)
}

// killedAtEach runs the program until it comes to its end, and kills it at each step whose
// key, which may be empty, has not been seen. It returns how often it killed.
func (k *kinit) killedAtEach(t *testing.T, key func(event) string, strike func(*os.Process), args []string) int {
	t.Helper()
	seen := map[string]bool{}
	fresh := func(e event) bool {
		at := key(e)
		if at == "" || seen[at] {
			return false
		}
		seen[at] = true
		return true
	}
	for kills := 0; ; kills++ {
		r, struck := k.perhaps(t, fresh, strike, args...)
		if struck && r.code == -1 {
			continue
		}
		if r.code != 0 {
			t.Fatalf("after %d kills: exit %d\n%s\n%s", kills, r.code, r.failures(), tail(r.stderr, 40))
		}
		if !struck {
			return kills
		}
	}
}

// stepBegun is the key of a step that begins.
func stepBegun(e event) string {
	if e.Kind != "step_started" {
		return ""
	}
	return e.Task + " " + e.Host + " " + strings.Join(e.Steps, "; ")
}

// stepEnded returns the key of a step that has ended: its task begins another one, or is done.
func stepEnded() func(event) string {
	last := map[string]string{}
	return func(e event) string {
		if e.Kind == "run_started" {
			clear(last)
		}
		task := e.Task + " " + e.Host
		switch e.Kind {
		case "step_started":
			before := last[task]
			last[task] = stepBegun(e)
			return before
		case "task_finished":
			return last[task]
		}
		return ""
	}
}

// killSoon kills a process within a third of a second, in which most steps end.
func killSoon(p *os.Process) {
	time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
	kill(p)
}

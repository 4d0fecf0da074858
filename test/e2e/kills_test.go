//go:build kills

package e2e

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
)

// TestADeploymentKilledAnywhereIsReadyTheNextTime kills a deployment at steps that are
// spread over its work, and each time runs it again, twice; then it kills the clean-up at
// such a step, and cleans up. An undisturbed round before counts the steps. KINIT_KILLS
// says at how many. With KINIT_KILLS=all the test of every step, which is beside this one,
// takes its place. Other tests kill at some places.
func TestADeploymentKilledAnywhereIsReadyTheNextTime(t *testing.T) {
	if os.Getenv(killsVariable) == "all" {
		killedAtEveryStep(t)
		return
	}
	k, before := killsLab(t)
	run := []string{"run", "k8s-podman-1-1-1", "--hosts", hosts}
	cleanup := append(slices.Clone(run), "--stop-after", "cleanup")
	deployed := steps(k.must(t, append(run, "--output", "json")...))
	cleaned := steps(k.must(t, append(cleanup, "--output", "json")...))
	if deployed < 100 || cleaned < 50 {
		t.Fatalf("%d steps deployed and %d cleaned up, which are too few for a cluster", deployed, cleaned)
	}
	places := kills(t, deployed)
	first := from(t, places)
	for i := first; i < places; i++ {
		step(t, fmt.Sprintf("place %d of %d", i+1, places), func(t *testing.T) {
			k.until(t, atStep(place(i, places, deployed)), kill, run...)
			r := k.must(t, append(run, "--output", "json")...)
			bothReady(t, r)
			unchanged(t, k, run)
			k.until(t, atStep(place(i, places, cleaned)), kill, cleanup...)
			removed(t, k, run)
			asBefore(t, before)
		})
	}
	t.Logf("killed at %d of %d steps of the deployment, and as often in the %d of its clean-up", places-first, deployed, cleaned)
}

// Environment variables: at how many steps to kill, or all; the first of them that is tried.
const (
	killsVariable = "KINIT_KILLS"
	fromVariable  = "KINIT_KILLS_FROM"
)

// killsLab brings a lab up, and returns what is on its hypervisors.
func killsLab(t *testing.T) (*kinit, map[string]map[string]bool) {
	t.Helper()
	k := build(t)
	newLab(t, k, labName, labSubnet, "--hosts", hosts, "--drivers", "podman")
	return k, map[string]map[string]bool{"nyctea": snapshot(t, "nyctea"), "tyto": snapshot(t, "tyto")}
}

// kills returns at how many of the steps to kill.
func kills(t *testing.T, steps int) int {
	t.Helper()
	places, text := number(t, killsVariable)
	if places < 1 {
		t.Fatalf("%s is %q, which is neither a number nor \"all\"", killsVariable, text)
	}
	return min(places, steps)
}

// from returns how many of the places are left out because they have been tried:
// the variable counts from 1.
func from(t *testing.T, places int) int {
	t.Helper()
	first, text := number(t, fromVariable)
	if first < 1 || first > places {
		t.Fatalf("%s is %q, want a number from 1 to %d", fromVariable, text, places)
	}
	return first - 1
}

// number returns the number in an environment variable, 1 if it is not set, 0 if its text is
// no number.
func number(t *testing.T, variable string) (int, string) {
	t.Helper()
	text := cmp.Or(os.Getenv(variable), "1")
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, text
	}
	return n, text
}

// place is the number of the i-th of so many steps, when they are spread evenly over all.
// A few steps are told only in some runs, so none of the last ones is waited for.
func place(i, places, all int) int {
	return min(i*all/places+all/(2*places)+1, all-5)
}

// steps counts the changes that a run began.
func steps(r result) int {
	n := 0
	for _, e := range r.events {
		if e.Kind == "step_started" {
			n++
		}
	}
	return n
}

package service

import (
	"strings"
	"testing"

	"kinit/engine/module/moduletest"
	"kinit/modules/internal/systemdtest"
)

const started = "name = \"web\"\nstate = \"started\""

// A oneshot unit is not active after it ran. It runs in each run, as with Ansible.
func TestOneshotUnitThatSucceedsCountsAsStarted(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "", map[string]*systemdtest.Unit{"web.service": {Load: "loaded", Active: "inactive", Type: "oneshot", Ends: "success"}})
	for range 2 {
		made := task(t, started)
		moduletest.Same(t, "run", moduletest.Apply(t, made, h), "")
		moduletest.WantTexts(t, made, h)
	}
}

func TestServiceThatEndsRightAfterItsStartIsAnErrorWithItsJournal(t *testing.T) {
	t.Parallel()
	const journal = "\nthe end of its journal:\nlistening on :80\naddress in use"
	for ends, want := range map[string]string{
		"exit-code": "web.service was started and has failed (result exit-code, status 2)" + journal,
		"restarts":  "web.service was started and has failed (systemd restarts it again and again)" + journal,
		"success": "web.service was started and has ended with success: for a program that does its work and ends, " +
			"use Type=oneshot, with RemainAfterExit=yes if it should count as started from then on" + journal,
	} {
		t.Run(ends, func(t *testing.T) {
			t.Parallel()
			h, _ := systemdtest.New(t, "", map[string]*systemdtest.Unit{"web.service": {Load: "loaded", Active: "inactive", Type: "simple", Ends: ends}})
			moduletest.Same(t, "error", moduletest.Apply(t, task(t, started), h), want)
		})
	}
}

func TestServiceThatNeverNotifiesSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	for kind, want := range map[string]string{
		"notify":  "It has Type=notify and did not report within 1min 30s (TimeoutStartSec) that it is ready: the program has to send READY=1, see sd_notify(3); if it cannot, use Type=exec\n",
		"forking": "It has Type=forking and did not go to the background within 1min 30s (TimeoutStartSec): if the program stays in the foreground, use Type=exec\n",
	} {
		h, _ := systemdtest.New(t, "", map[string]*systemdtest.Unit{"web.service": {Load: "loaded", Active: "inactive", Type: kind, Ends: "timeout"}})
		if got := moduletest.Apply(t, task(t, started), h); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q in it", kind, got, want)
		}
	}
}

func TestRunningServiceIsNotWaitedForAgain(t *testing.T) {
	t.Parallel()
	h, _ := systemdtest.New(t, "", map[string]*systemdtest.Unit{"web.service": {Load: "loaded", Active: "inactive", Type: "simple"}})
	moduletest.Same(t, "run", moduletest.Apply(t, task(t, started), h), "")
	moduletest.WantTexts(t, task(t, started), h)
}

package engine_test

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"kinit/engine"
	"kinit/engine/need"
)

// ownerName is a name that nothing else on this machine has. What is left under it goes with
// the test.
func ownerName(t *testing.T) string {
	t.Helper()
	need.Root(t, "a manifest for all users")
	name := "test-" + strings.ToLower(rand.Text())
	t.Cleanup(func() {
		if err := os.RemoveAll(clusters(name)); err != nil {
			t.Error(err)
		}
	})
	return name
}

func clusters(owner string) string { return filepath.Join("/var/lib/kinit/clusters", owner) }

// controlled is options of a controller that knows nothing yet.
func controlled(t *testing.T, owner, playbook string) engine.Options {
	t.Helper()
	o := options(t, strings.ReplaceAll("spec \"demo\" {\n  owner = \"OWNER\"\n}\n"+playbook, "OWNER", owner))
	o.StateDir = filepath.Join(o.Cwd, "state")
	return o
}

const aFile = `
task "copy" "a" {
  dest    = "TMP/alice.conf"
  content = "alice\n"
}
`

const everywhere = `
task "copy" "a" {
  hosts   = run.hosts
  dest    = "TMP/alice.conf"
  content = "alice\n"
}
`

const allGoes = `
stage "cleanup" {}
task "sweep" "owned" {
  stage = "cleanup"
  all   = true
}
`

// noted is what a host says of whose a name is.
type noted struct {
	ID, By, Spec string
	Made         time.Time
	Unmarked     bool
}

func instanceOf(t *testing.T, owner string) noted {
	t.Helper()
	var n noted
	text, err := os.ReadFile(filepath.Join(clusters(owner), "owned", "instance.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &n); err != nil {
		t.Fatal(err)
	}
	return n
}

func went(t *testing.T, r *engine.Report) *engine.Report {
	t.Helper()
	if text := problems(r); text != "" || len(r.Results) == 0 {
		t.Fatalf("%d results, %s", len(r.Results), text)
	}
	return r
}

func refused(t *testing.T, r *engine.Report, detail string) {
	t.Helper()
	d := r.Diagnostics
	if len(d) != 1 || d[0].Summary != "The name is taken" || d[0].Detail != detail || !errors.Is(d[0].Cause, engine.ErrTaken) {
		t.Errorf("problems: %s\nwant: %s", problems(r), detail)
	}
	if len(r.Results) > 0 || r.Invalid {
		t.Errorf("invalid %v, results %v", r.Invalid, statuses(r))
	}
}

func TestANameThatAnotherControllerHasIsRefused(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	alice, bob := controlled(t, owner, aFile), controlled(t, owner, allGoes)
	went(t, engine.Run(t.Context(), alice))
	made := instanceOf(t, owner)
	if !regexp.MustCompile(`^[A-Z2-7]{26}$`).MatchString(made.ID) || !regexp.MustCompile(`^\S+@\S+$`).MatchString(made.By) || made.Spec != alice.Spec || time.Since(made.Made) > time.Hour {
		t.Errorf("instance %+v", made)
	}
	want := owner + " on localhost is not known here: " + made.By + " made it on " + made.Made.Format("2006-01-02 at 15:04:05") + " UTC from " + alice.Spec +
		". Nothing was changed. To work on it from here too, give --adopt; to have one of your own beside it, choose another name: that of the cluster, or the owner of the spec."
	refused(t, engine.Run(t.Context(), bob), want)
	refused(t, engine.Plan(t.Context(), bob), want)
	saved, report := engine.Save(t.Context(), bob)
	if refused(t, report, want); saved != nil {
		t.Error("there is a saved plan")
	}
	if got := content(t, alice, "alice.conf"); got != "alice\n" {
		t.Errorf("the first one's file has %q", got)
	}
	if _, err := os.Stat(filepath.Join(bob.StateDir, "instances")); err == nil {
		t.Error("the second controller remembers something")
	}

	// Who only looks sees what is there.
	status, report := engine.State(t.Context(), bob)
	if went(t, report); len(status.Stages) != 1 || status.Stages[0].ToDo != 1 {
		t.Errorf("status %+v", status)
	}

	// The first controller goes on with what it made.
	if again := went(t, engine.Run(t.Context(), alice)); again.Changes() != 0 {
		t.Errorf("%d changes again", again.Changes())
	}

	// A plan may look with what a run would be given, and remembers nothing.
	bob.Adopt = true
	went(t, engine.Plan(t.Context(), bob))
	bob.Adopt = false
	refused(t, engine.Plan(t.Context(), bob), want)

	bob.Adopt = true
	went(t, engine.Run(t.Context(), bob))
	if got := content(t, alice, "alice.conf"); got != "" {
		t.Errorf("after clean-up the file has %q", got)
	}
	if _, err := os.Stat(clusters(owner)); !os.IsNotExist(err) {
		t.Errorf("the manifest: %v", err)
	}
	if again := went(t, engine.Run(t.Context(), bob)); again.Changes() != 0 {
		t.Errorf("%d changes by a second clean-up", again.Changes())
	}
}

func TestWhatWasAdoptedIsKnownFromThenOn(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	alice := controlled(t, owner, aFile)
	went(t, engine.Run(t.Context(), alice))
	made := instanceOf(t, owner)
	alice.StateDir += "-lost"
	if report := engine.Run(t.Context(), alice); !errors.Is(report.Diagnostics[0].Cause, engine.ErrTaken) {
		t.Errorf("problems: %s", problems(report))
	}
	for _, adopt := range []bool{true, false} {
		alice.Adopt = adopt
		if r := went(t, engine.Run(t.Context(), alice)); r.Changes() != 0 {
			t.Errorf("%d changes", r.Changes())
		}
	}
	if got := instanceOf(t, owner); got != made {
		t.Errorf("instance %+v, want %+v", got, made)
	}
}

func TestARunThatMarksNothingMakesNoInstance(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	o := controlled(t, owner, `
task "command" "only" {
  argv = ["true"]
}
`)
	went(t, engine.Run(t.Context(), o))
	for _, path := range []string{clusters(owner), filepath.Join(o.StateDir, "instances")} {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestWhatIsRemovedAndMadeInOneRunIsOfOneInstance(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	first := controlled(t, owner, aFile)
	went(t, engine.Run(t.Context(), first))
	before := instanceOf(t, owner).ID
	second := controlled(t, owner, allGoes+`
task "copy" "b" {
  dest       = "TMP/b.conf"
  content    = "b\n"
  depends_on = [task.sweep.owned]
}
`)
	second.StateDir = first.StateDir
	went(t, engine.Run(t.Context(), second))
	if got := instanceOf(t, owner).ID; got != before {
		t.Errorf("instance %s, want %s", got, before)
	}
	if content(t, first, "alice.conf") != "" || content(t, second, "b.conf") != "b\n" {
		t.Errorf("files %q, %q", content(t, first, "alice.conf"), content(t, second, "b.conf"))
	}

	// What comes after all is gone is another one.
	gone := controlled(t, owner, allGoes)
	gone.StateDir = first.StateDir
	went(t, engine.Run(t.Context(), gone))
	went(t, engine.Run(t.Context(), first))
	if got := instanceOf(t, owner).ID; got == before {
		t.Error("the instance came back")
	}
}

func TestMarksWithoutAnInstanceAreTakenByAdoptionAlone(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	o := controlled(t, owner, allGoes)
	file := filepath.Join(o.Cwd, "old.conf")
	write(t, file, "old")
	folder := filepath.Join(clusters(owner), "owned", "file")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, strings.ReplaceAll(file, "/", "%2F")+".json"), `{"kind": "file", "id": "`+file+`", "seq": "1"}`)
	refused(t, engine.Run(t.Context(), o), owner+" on localhost was made by a version of kinit that noted no instance, so its owner is unknown"+
		". Nothing was changed. To work on it from here too, give --adopt; to have one of your own beside it, choose another name: that of the cluster, or the owner of the spec.")
	if content(t, o, "old.conf") != "old" {
		t.Error("the file is gone")
	}

	o.Adopt = true
	more := controlled(t, owner, aFile)
	more.StateDir, more.Adopt = o.StateDir, true
	went(t, engine.Run(t.Context(), more))
	if got := instanceOf(t, owner); got.ID == "" || !got.Unmarked || got.Spec != more.Spec {
		t.Errorf("instance %+v", got)
	}
	o.Adopt = false
	went(t, engine.Run(t.Context(), o))
	if content(t, o, "old.conf") != "" || content(t, more, "alice.conf") != "" {
		t.Error("not all is removed")
	}
	if _, err := os.Stat(clusters(owner)); !os.IsNotExist(err) {
		t.Errorf("the manifest: %v", err)
	}
}

// A host that is left out of the first run gets what the others have.
func TestRunsOnOneHostAfterTheOtherAreOfOneInstance(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	o := controlled(t, owner, everywhere)
	went(t, engine.Run(t.Context(), o))
	first := instanceOf(t, owner).ID
	if err := os.RemoveAll(clusters(owner)); err != nil { // as if this machine were another one
		t.Fatal(err)
	}
	other := controlled(t, owner, everywhere)
	other.StateDir = o.StateDir
	far(t, &other)
	went(t, engine.Run(t.Context(), other))
	if got := instanceOf(t, owner).ID; got != first {
		t.Errorf("instance %s, want %s", got, first)
	}
}

// A mark of another instance, as an old copy of the manifest brings back, is named; neither it
// nor the thing is touched.
func TestAMarkOfAnotherInstanceStays(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	o := controlled(t, owner, aFile)
	went(t, engine.Run(t.Context(), o))
	theirs := filepath.Join(o.Cwd, "theirs.conf")
	write(t, theirs, "theirs")
	mark := filepath.Join(clusters(owner), "owned", "file", "theirs.json")
	write(t, mark, `{"kind": "file", "id": "`+theirs+`", "seq": "1", "instance": "OTHER"}`)
	gone := controlled(t, owner, allGoes)
	gone.StateDir = o.StateDir
	report := went(t, engine.Run(t.Context(), gone))
	if got, want := report.Results[0].Message, "file "+theirs+" is left alone: another cluster "+owner+" made it"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if content(t, o, "alice.conf") != "" || content(t, o, "theirs.conf") != "theirs" {
		t.Errorf("files %q and %q", content(t, o, "alice.conf"), content(t, o, "theirs.conf"))
	}
	if _, err := os.Stat(mark); err != nil {
		t.Error(err)
	}
}

// A saved plan may show ids, so the run that applies it makes the one that was shown.
func TestASavedPlanKeepsTheInstanceThatItShows(t *testing.T) {
	t.Parallel()
	owner := ownerName(t)
	o := controlled(t, owner, aFile)
	saved, report := engine.Save(t.Context(), o)
	went(t, report)
	went(t, engine.Apply(t.Context(), o, saved))
	if got := instanceOf(t, owner).ID; got != saved.Instance || got == "" {
		t.Errorf("instance %q, saved %q", got, saved.Instance)
	}
	if again := went(t, engine.Run(t.Context(), o)); again.Changes() != 0 {
		t.Errorf("%d changes again", again.Changes())
	}
}

package podmanbuild_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_build"
)

const (
	base = "localhost/kinit-base:1"
	name = "localhost/kinit-test:1"
)

func task(change func(*podmanbuild.Task)) *podmanbuild.Task {
	return moduletest.Make(podmanbuild.Kind(), func(made *podmanbuild.Task) {
		made.Name, made.From, made.Script = name, base, "echo \"it's made\" >/made\ncat /made\n"
	}, change)
}

// machine is a host with the base image.
func machine(t testing.TB, owner string) *podmantest.Host {
	t.Helper()
	h := podmantest.NewHost(t, owner)
	h.ShellImage(t, base)
	return h
}

func wantMarks(t *testing.T, h module.Host, want ...module.Mark) {
	t.Helper()
	marks, err := h.Marks(t.Context())
	if diff := cmp.Diff(want, marks); err != nil || diff != "" {
		t.Errorf("%v, marks (-want +got):\n%s", err, diff)
	}
}

func TestContract(t *testing.T) {
	t.Parallel()
	podmantest.Contract(t, machine, func(_ *podmantest.Host, state string) module.Task {
		return task(func(t *podmanbuild.Task) { t.State = state })
	})
}

func TestTheImageIsItsBaseAfterTheScript(t *testing.T) {
	t.Parallel()
	h := machine(t, "k8s")
	made := task(func(t *podmanbuild.Task) { t.Keep = true })
	steps := moduletest.Steps(t, made, h)
	want := "build image " + name + " from " + base
	if len(steps) != 1 || steps[0].String() != want {
		t.Fatalf("steps %v, want %q", steps, want)
	}
	moduletest.Settle(t, made, h)
	wantMarks(t, h, module.Mark{Kind: "podman_image", ID: name, Keep: true})
	folder := h.Podman(t, "image", "mount", name)
	text, err := h.Run(t.Context(), module.Command{Argv: []string{"cat", folder + "/made"}})
	if err != nil || text.Stdout != "it's made\n" {
		t.Errorf("the image has %q, %v", text.Stdout, err)
	}
	values, err := module.Outputs(t.Context(), made, h)
	if err != nil || values["name"].AsString() != name || values["id"].AsString() != h.Podman(t, "image", "inspect", name, "--format", "{{.Id}}") {
		t.Errorf("outputs %v, %v", values, err)
	}
}

func TestImageThatWasThereIsUsedAndNeverClaimed(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, name, "theirs")
	if steps := moduletest.Steps(t, task(nil), h); len(steps) > 0 {
		t.Errorf("steps %v, want none", steps)
	}
	wantMarks(t, h)
	_, err := task(func(t *podmanbuild.Task) { t.State = "absent" }).Plan(t.Context(), h)
	want := "image " + name + " exists and is not owned by cluster k8s: remove it or use another name"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestFailingScriptShowsItsLinesAndLeavesNoImage(t *testing.T) {
	t.Parallel()
	h := machine(t, "k8s")
	before := h.Podman(t, "images", "--all", "--quiet")
	made := task(func(t *podmanbuild.Task) {
		t.Script = "echo first\necho second >&2\nno-such-program\necho not reached >/made"
	})
	err := moduletest.Steps(t, made, h)[0].Do(t.Context(), h)
	want := "build image " + name + ": the script ended with code 127:\nfirst\nsecond\nsh: 3: no-such-program: not found"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if got := h.Podman(t, "images", "--all", "--quiet"); got != before {
		t.Errorf("images\n%s\nwant only\n%s", got, before)
	}
	if got := h.Podman(t, "ps", "--all", "--external", "--quiet"); got != "" {
		t.Errorf("containers left: %s", got)
	}
	moduletest.Settle(t, task(nil), h)
}

func TestMissingBaseSaysWhatToDo(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	err := moduletest.Steps(t, task(nil), h)[0].Do(t.Context(), h)
	want := "build image " + name + ": there is no image " + base + " on the host: bring it with podman_image"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	wantMarks(t, h)
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*podmanbuild.Task){
		`name is "node", expected a full name with registry and tag such as "localhost/node:1"`:           func(t *podmanbuild.Task) { t.Name = "node" },
		`name is "localhost/node", expected a full name with registry and tag such as "localhost/node:1"`: func(t *podmanbuild.Task) { t.Name = "localhost/node" },
		`name is "library/node:1", expected a full name with registry and tag such as "localhost/node:1"`: func(t *podmanbuild.Task) { t.Name = "library/node:1" },
		`from is empty, expected the image to begin with`:                                                 func(t *podmanbuild.Task) { t.From = "" },
		`script is empty, expected what makes the image`:                                                  func(t *podmanbuild.Task) { t.Script = " \n" },
		`state is "gone", want one of present, absent`:                                                    func(t *podmanbuild.Task) { t.State = "gone" },
	} {
		moduletest.Refused(t, task(change), want)
	}
	if err := module.Check(task(func(t *podmanbuild.Task) { t.From, t.Script, t.State = "", "", "absent" })); err != nil {
		t.Error(err)
	}
}

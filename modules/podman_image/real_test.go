package podmanimage_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/podman/podmantest"
	"kinit/modules/podman_image"
)

const name = "localhost/kinit-test:1"

func task(source string, change func(*podmanimage.Task)) *podmanimage.Task {
	return moduletest.Make(podmanimage.Kind(), func(made *podmanimage.Task) {
		made.Name, made.Source = name, source
	}, change)
}

// archive saves an image to a file of the host and removes it from the store.
func archive(t *testing.T, h *podmantest.Host, format, image, note string) string {
	t.Helper()
	h.Image(t, image, note)
	file := h.Path(format + note + ".tar")
	h.Podman(t, "save", "--format", format, "--output", file, image)
	h.Podman(t, "rmi", image)
	return file
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"docker-archive", "oci-archive"} {
		for _, owner := range []string{"", "k8s"} {
			h := podmantest.NewHost(t, owner)
			file := archive(t, h, format, name, "")
			moduletest.Run(t, moduletest.Case{
				Host:   h,
				New:    func() module.Task { return task(file, nil) },
				Absent: func() module.Task { return task(file, func(t *podmanimage.Task) { t.State = "absent" }) },
			})
		}
	}
}

func TestArchiveWithAnotherNameLeavesOnlyTheWantedOne(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	moduletest.Settle(t, task(archive(t, h, "docker-archive", "localhost/else:2", ""), nil), h)
	if got := h.Podman(t, "images", "--format", "{{.Names}}"); got != "["+name+"]" {
		t.Errorf("images %s, want [%s]", got, name)
	}
	marks, err := h.Marks(t.Context())
	want := []module.Mark{{Kind: "podman_image", ID: name}}
	if diff := cmp.Diff(want, marks); err != nil || diff != "" {
		t.Errorf("%v, marks (-want +got):\n%s", err, diff)
	}
}

func TestNewArchiveReplacesTheImageAndItsOldOneGoes(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	one, two := archive(t, h, "oci-archive", name, "one"), archive(t, h, "oci-archive", name, "two")
	moduletest.Settle(t, task(one, nil), h)
	steps := moduletest.Steps(t, task(two, nil), h)
	want := "load image " + name + " from " + two + ": the archive has another image"
	if len(steps) != 1 || steps[0].String() != want {
		t.Fatalf("steps %v, want %q", steps, want)
	}
	moduletest.Settle(t, task(two, nil), h)
	if got := strings.Split(h.Podman(t, "images", "--all", "--quiet"), "\n"); len(got) != 1 {
		t.Errorf("images %v, want one", got)
	}
	old := h.Podman(t, "images", "--quiet", "--no-trunc")
	h.Podman(t, "create", "--name", "user", name)
	moduletest.Settle(t, task(one, nil), h)
	marks, err := h.Marks(t.Context())
	wantMarks := []module.Mark{
		{Kind: "podman_image", ID: name}, {Kind: "podman_image", ID: strings.TrimPrefix(old, "sha256:")},
	}
	if diff := cmp.Diff(wantMarks, marks); err != nil || diff != "" {
		t.Errorf("%v, an image in use keeps a mark (-want +got):\n%s", err, diff)
	}
}

func TestImageThatWasThereIsUsedAndNeverClaimed(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	h.Image(t, name, "theirs")
	if steps := moduletest.Steps(t, task("", nil), h); len(steps) > 0 {
		t.Errorf("steps %v, want none", steps)
	}
	other := archive(t, h, "docker-archive", "localhost/else:2", "ours")
	want := "image " + name + " exists and is not owned by cluster k8s: remove it or use another name"
	for _, made := range []module.Task{task(other, nil), task("", func(t *podmanimage.Task) { t.State = "absent" })} {
		if _, err := made.Plan(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("error %v, want %s", err, want)
		}
	}
}

func TestWrongChecksumLoadsNothing(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	file := archive(t, h, "docker-archive", name, "")
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	right := hex.EncodeToString(sum[:])
	wrong := strings.Repeat("0", 64)
	err = moduletest.Steps(t, task(file, func(t *podmanimage.Task) { t.SHA256 = wrong }), h)[0].Do(t.Context(), h)
	want := file + " has sha256 " + right + ", expected " + wrong + ": fetch it again"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if got := h.Podman(t, "images", "--quiet"); got != "" {
		t.Errorf("images %s, want none", got)
	}
	moduletest.Settle(t, task(file, func(t *podmanimage.Task) { t.SHA256 = right }), h)
}

func TestArchiveThatIsNotThereYetOrIsNone(t *testing.T) {
	t.Parallel()
	h := podmantest.NewHost(t, "k8s")
	missing := h.Path("missing.tar")
	err := moduletest.Steps(t, task(missing, nil), h)[0].Do(t.Context(), h)
	want := "load image " + name + ": there is no file " + missing
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if err := os.WriteFile(missing, []byte("no archive"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = task(missing, nil).Plan(t.Context(), h)
	if err == nil || !strings.HasPrefix(err.Error(), missing+" is no docker-archive or oci-archive: ") {
		t.Errorf("error %v", err)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*podmanimage.Task){
		`name is "dns", expected a full name with registry and tag such as "localhost/dns:1"`:           func(t *podmanimage.Task) { t.Name = "dns" },
		`name is "localhost/dns", expected a full name with registry and tag such as "localhost/dns:1"`: func(t *podmanimage.Task) { t.Name = "localhost/dns" },
		`source is "dns.tar", expected an absolute path or a full image name with registry and tag`:     func(t *podmanimage.Task) { t.Source = "dns.tar" },
		`sha256 is "12", expected 64 hexadecimal digits`:                                                func(t *podmanimage.Task) { t.SHA256 = "12" },
		`expected username and password together`:                                                       func(t *podmanimage.Task) { t.Username = "ann" },
	} {
		moduletest.Refused(t, task("/a.tar", change), want)
	}
	for _, full := range []string{"registry:5000/a/b:1", "10.0.0.253:5000/pause:3.9", "docker.io/library/busybox@sha256:00", "localhost/a:1"} {
		if err := module.Check(task("", func(t *podmanimage.Task) { t.Name = full })); err != nil {
			t.Errorf("%s: %v", full, err)
		}
	}
}

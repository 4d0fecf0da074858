package seed

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2/hclsimple"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/modules/internal/media"
	"kinit/modules/internal/virt"
	"kinit/test/golden"
)

// privateKey looks like a key and is none.
const privateKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LW9mLXRoZS1ob3N0\n-----END OPENSSH PRIVATE KEY-----"

// load decodes a file of arguments as the engine does.
func load(t *testing.T, file string) *Task {
	t.Helper()
	task := Kind().New().(*Task)
	if err := hclsimple.DecodeFile(filepath.Join("testdata", file), nil, task); err != nil {
		t.Fatal(err)
	}
	if err := module.Check(task); err != nil {
		t.Fatal(err)
	}
	return task
}

func small(dir string) *Task {
	task := Kind().New().(*Task)
	task.Path, task.Hostname = filepath.Join(dir, "node.iso"), "node"
	task.HostKey = &media.HostKey{Private: privateKey, Public: "ssh-ed25519 AAAA"}
	return task
}

func TestSeedPassesTheSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	moduletest.Run(t, moduletest.Case{
		Host:    h,
		New:     func() module.Task { return small(h.Dir) },
		Absent:  func() module.Task { return &Task{Path: h.Path("node.iso"), Presence: module.Presence{State: "absent"}} },
		Secrets: []secret.Value{privateKey, "c2VjcmV0LW9mLXRoZS1ob3N0"},
	})
}

// The arguments are full.hcl and least.hcl; the documents are beside them.
func TestDocuments(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"full", "least"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := load(t, name+".hcl")
			user, err := task.userData()
			if err != nil {
				t.Fatal(err)
			}
			check(t, name+".user-data.json", user)
			check(t, name+".meta-data.json", task.metaData())
			check(t, name+".network-config.json", task.networkConfig())
		})
	}
}

func check(t *testing.T, file string, doc any) {
	t.Helper()
	got, err := encode(doc)
	if err != nil {
		t.Fatal(err)
	}
	golden.Check(t, filepath.Join("testdata", file), string(got))
}

func TestImageHasTheFilesOfNoCloud(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	h := moduletest.LocalHost(t, "k8s")
	for file, want := range map[string]string{
		"full.hcl":  "/meta-data\n/network-config\n/user-data\n",
		"least.hcl": "/meta-data\n/user-data\n",
	} {
		task := load(t, file)
		task.Path = h.Path(file + ".iso")
		moduletest.Do(t, task, h)
		out, err := exec.Command("isoinfo", "-J", "-f", "-i", task.Path).Output()
		if err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, file, string(out), want)
	}
	out, err := exec.Command("isoinfo", "-J", "-x", "/user-data", "-i", h.Path("least.hcl.iso")).Output()
	if err != nil || !strings.HasPrefix(string(out), "#cloud-config\n{\n") {
		t.Errorf("user data begins %q, %v", out, err)
	}
}

func TestSeedIsReadableByRootAlone(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/images/base.qcow2", "", 0o644)
	task := small("/images")
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"create seed /images/node.iso of node"})
	info, err := h.Files().Stat(t.Context(), task.Path)
	if err != nil || info.Mode.Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode, err)
	}
	moduletest.Marks(t, h, virt.VolumeMark(task.Path))
}

func TestOwnerThatLibvirtChangedIsNoChange(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/images/base.qcow2", "", 0o644)
	task := small("/images")
	moduletest.Do(t, task, h)
	if err := h.Files().SetAttr(t.Context(), task.Path, module.Attr{Owner: "libvirt-qemu"}); err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string(nil))
	task.Timezone = "Europe/Madrid"
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"replace seed /images/node.iso of node"})
}

func TestOutputsGiveTheHashOfTheFile(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	task := small(h.Dir)
	moduletest.Do(t, task, h)
	values := moduletest.Outputs(t, task, h)
	content, err := os.ReadFile(task.Path)
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "sha256", values["sha256"].AsString(), fmt.Sprintf("%x", sha256.Sum256(content)))
	moduletest.Same(t, "path", values["path"].AsString(), task.Path)
}

func TestFileOfSomebodyElseIsNeverTouched(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/images/node.iso", "theirs", 0o644)
	want := "/images/node.iso exists on fake and is not owned by cluster k8s: " +
		"choose another path, or remove it yourself if nothing needs it"
	for _, state := range []string{"present", "absent"} {
		task := small("/images")
		task.State = state
		if _, err := task.Plan(t.Context(), h); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", state, err, want)
		}
	}
}

func TestTaskPrintsNoSecret(t *testing.T) {
	t.Parallel()
	task := load(t, "full.hcl")
	for _, verb := range []string{"%v", "%+v", "%#v", "%q"} {
		if text := fmt.Sprintf(verb, *task.HostKey) + fmt.Sprintf(verb, task.WriteFiles); strings.Contains(text, "c2VjcmV0") || strings.Contains(text, "of a file") {
			t.Errorf("%s shows a secret: %s", verb, text)
		}
	}
}

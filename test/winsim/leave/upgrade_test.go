package leave

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/win_powershell"
	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/winhost"
)

// archive is a compressed archive of one file.
func archive(t *testing.T, name string, content []byte) string {
	t.Helper()
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	a := tar.NewWriter(z)
	must(t, a.WriteHeader(&tar.Header{Name: name, Mode: 0o755, Size: int64(len(content))}))
	_, err := a.Write(content)
	must(t, err)
	must(t, a.Close())
	must(t, z.Close())
	return out.String()
}

// unpack is the task of a cluster that unpacks programs of the kubelet's folder.
func unpack(t *testing.T, sha256 string) module.Task {
	t.Helper()
	const files = "../../../specs/kubeadm/files/"
	task := winpowershell.Kind().New().(*winpowershell.Task)
	task.Script, task.Unless = read(t, files+"windows-unpack.ps1"), read(t, files+"windows-unpacked.ps1")
	task.Arguments = cty.ObjectVal(map[string]cty.Value{
		"archive": cty.StringVal("C:/k/kubernetes.tar.gz"), "sha256": cty.StringVal(sha256), "folder": cty.StringVal("C:/k"),
		"shows": cty.StringVal("C:/k/kubelet.exe"), "strip": cty.NumberIntVal(1), "members": cty.EmptyTupleVal,
		"services": cty.TupleVal([]cty.Value{cty.StringVal("kube-proxy"), cty.StringVal("kubelet")}),
		"tasks":    cty.TupleVal([]cty.Value{cty.StringVal("flanneld")}),
	})
	return task
}

func TestProgramsThatRunAreReplacedAndRunAgain(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	program := func(version string) []byte { return machine.Stand("svchost", version) }
	h.Put(`C:\k\kubernetes.tar.gz`, archive(t, "bin/kubelet.exe", program("v1.34.4")))
	if got := moduletest.Do(t, unpack(t, "first"), h); len(got) == 0 {
		t.Fatal("nothing was unpacked")
	}
	must(t, h.Services.Create(scm.Config{Name: "kubelet", DisplayName: "kubelet", Image: `C:\k\kubelet.exe`, Start: scm.Auto}))
	must(t, h.Services.Start(t.Context(), "kubelet"))
	must(t, h.AddTask(machine.Task{Path: `\kinit\`, Name: "flanneld", User: "S-1-5-18", Actions: []machine.TaskAction{{Execute: `C:\k\kubelet.exe`}}}, false))

	h.Put(`C:\k\kubernetes.tar.gz`, archive(t, "bin/kubelet.exe", program("v1.35.1")))
	if got := moduletest.Do(t, unpack(t, "second"), h); len(got) == 0 {
		t.Error("the new programs were not unpacked")
	}
	if got := moduletest.Planned(t.Context(), unpack(t, "second"), h); got != "" {
		t.Errorf("the second run: %s, want no change", got)
	}
	content, err := h.Machine.Files.ReadFile(`C:\k\kubelet.exe`)
	must(t, err)
	if !bytes.Equal(content, program("v1.35.1")) {
		t.Error("kubelet.exe is the old one")
	}
	if status, err := h.Services.Status("kubelet"); err != nil || status.State != scm.Running {
		t.Errorf("the service kubelet is %v, %v, want it to run", status.State, err)
	}
	if task, err := h.Task(`\kinit\`, "flanneld"); err != nil || task.Disabled || task.LastRun.IsZero() {
		t.Errorf("the task flanneld is %+v, %v, want it enabled and started", task, err)
	}
}

func TestServicesRunAgainWhenAnArchiveCannotBeUnpacked(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	h.Put(`C:\k\kubelet.exe`, string(machine.Stand("svchost", "v1.34.4")))
	must(t, h.Services.Create(scm.Config{Name: "kubelet", DisplayName: "kubelet", Image: `C:\k\kubelet.exe`, Start: scm.Auto}))
	must(t, h.Services.Start(t.Context(), "kubelet"))
	h.Put(`C:\k\kubernetes.tar.gz`, "no archive")
	err := moduletest.Steps(t, unpack(t, "broken"), h)[0].Do(t.Context(), h)
	if err == nil || !strings.Contains(err.Error(), "tar.exe ended with code 1") {
		t.Errorf("error %v, want that of tar.exe", err)
	}
	if status, err := h.Services.Status("kubelet"); err != nil || status.State != scm.Running {
		t.Errorf("the service kubelet is %v, %v, want it to run", status.State, err)
	}
}

package winseed

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
	"kinit/engine/secret"
	"kinit/modules/internal/media"
	"kinit/modules/internal/pfx"
	"kinit/modules/internal/pki"
	"kinit/modules/internal/virt"
)

const hostKey = "-----BEGIN OPENSSH PRIVATE KEY-----\nc2VjcmV0LW9mLXRoZS1ob3N0\n-----END OPENSSH PRIVATE KEY-----"

// pair is a key and a certificate for it.
func pair(t *testing.T) (certificate string, key secret.Value) {
	t.Helper()
	signer, err := pki.NewKey(pki.ECDSA)
	if err != nil {
		t.Fatal(err)
	}
	text, err := pki.EncodeKey(signer)
	if err != nil {
		t.Fatal(err)
	}
	certificate, err = pki.SelfSign(pki.Request{CommonName: "win-01", Validity: time.Hour, Now: time.Now()}, signer)
	if err != nil {
		t.Fatal(err)
	}
	return certificate, secret.Value(text)
}

// guest makes tasks for the same guest.
func guest(t *testing.T, path string) func() *Task {
	t.Helper()
	certificate, key := pair(t)
	return func() *Task {
		task := Kind().New().(*Task)
		task.Path, task.Hostname, task.Password = path, "win-01", "Kn1-hunter2"
		task.Certificate, task.PrivateKey = certificate, key
		task.HostKey = &media.HostKey{Private: hostKey, Public: "ssh-ed25519 AAAA"}
		return task
	}
}

func TestSeedPassesTheSuite(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	make := guest(t, h.Path("win-01.iso"))
	moduletest.Run(t, moduletest.Case{
		Host: h,
		New:  func() module.Task { return make() },
		Absent: func() module.Task {
			return &Task{Path: h.Path("win-01.iso"), Presence: module.Presence{State: "absent"}}
		},
		Secrets: []secret.Value{"Kn1-hunter2", make().PrivateKey, hostKey},
	})
}

func TestSeedIsReadableByRootAlone(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/images/base.qcow2", "", 0o644)
	task := guest(t, "/images/win-01.iso")()
	moduletest.Same(t, "steps", moduletest.Do(t, task, h), []string{"create seed /images/win-01.iso of win-01"})
	info, err := h.Files().Stat(t.Context(), task.Path)
	if err != nil || info.Mode.Perm() != 0o600 {
		t.Errorf("mode %v, %v; want 0600", info.Mode, err)
	}
	moduletest.Marks(t, h, virt.VolumeMark(task.Path))
	file, err := pfx.Encode(task.Certificate, task.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "the password of the PFX", h.Redact("is "+file.Password.Reveal()), "is ***")
}

func TestWhatLiesOnTheHostGoesOnTheCD(t *testing.T) {
	t.Parallel()
	need.Programs(t, "isoinfo", "isoinfo")
	h := moduletest.LocalHost(t, "k8s")
	make := guest(t, h.Path("win-01.iso"))
	with := func() *Task {
		task := make()
		task.Purpose, task.OpenSSH = "install", h.Path("openssh.msi")
		task.Files = []File{{Path: "C:/site/note.txt", Source: h.Path("note")}, {Path: "C:/site/secret.txt", Content: "hidden"}}
		return task
	}
	_, err := with().Plan(t.Context(), h)
	if want := "openssh: " + h.Path("openssh.msi") + " does not exist on localhost: download or copy it first"; err == nil || err.Error() != want {
		t.Fatalf("got %v, want %s", err, want)
	}
	for name, text := range map[string]string{"openssh.msi": "the server", "note": "one"} {
		if err := os.WriteFile(h.Path(name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	moduletest.Same(t, "steps", moduletest.Do(t, with(), h), []string{"create seed " + h.Path("win-01.iso") + " of win-01"})
	for name, want := range map[string]string{"openssh.msi": "the server", "file-001": "one", "file-002": "hidden"} {
		out, err := exec.Command("isoinfo", "-J", "-x", "/"+name, "-i", h.Path("win-01.iso")).Output()
		if err != nil {
			t.Fatal(err)
		}
		moduletest.Same(t, name, string(out), want)
	}
	moduletest.Same(t, "steps again", moduletest.Do(t, with(), h), []string(nil))
	if err := os.WriteFile(h.Path("note"), []byte("two"), 0o644); err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "steps with another file", moduletest.Do(t, with(), h), []string{"replace seed " + h.Path("win-01.iso") + " of win-01"})
}

func TestOutputsGiveTheHashAndTheMarker(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	task := guest(t, h.Path("win-01.iso"))()
	moduletest.Do(t, task, h)
	values := moduletest.Outputs(t, task, h)
	content, err := os.ReadFile(task.Path)
	if err != nil {
		t.Fatal(err)
	}
	moduletest.Same(t, "sha256", values["sha256"].AsString(), fmt.Sprintf("%x", sha256.Sum256(content)))
	moduletest.Same(t, "marker", values["marker"].AsString(), "C:/ProgramData/kinit/ready.txt")
}

func TestFileOfSomebodyElseIsNeverTouched(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "k8s")
	h.FS.Put("/images/win-01.iso", "theirs", 0o644)
	_, err := guest(t, "/images/win-01.iso")().Plan(t.Context(), h)
	want := "/images/win-01.iso exists on fake and is not owned by cluster k8s: " +
		"choose another path, or remove it yourself if nothing needs it"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCertificateOfAnotherKeyIsRefused(t *testing.T) {
	t.Parallel()
	task := guest(t, "/images/win-01.iso")()
	_, task.PrivateKey = pair(t)
	_, err := task.Plan(t.Context(), moduletest.NewFakeHost(t, "k8s"))
	if want := "certificate and private_key: the certificate is for another key"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*Task)
		want   string
	}{
		"good arguments":           {change: func(*Task) {}},
		"absent needs only a path": {change: func(s *Task) { *s = *module.SetDefaults(&Task{}); s.Path, s.State = "/a", "absent" }},
		"relative path":            {change: func(s *Task) { s.Path = "a" }, want: `path "a": expected an absolute path`},
		"unknown state":            {change: func(s *Task) { s.State = "on" }, want: `state is "on", want one of present, absent`},
		"unknown purpose":          {change: func(s *Task) { s.Purpose = "seal" }, want: `purpose is "seal", want one of install, copy`},
		"unknown firmware":         {change: func(s *Task) { s.Firmware = "efi" }, want: `firmware is "efi", want one of uefi, bios`},
		"unknown edition":          {change: func(s *Task) { s.Edition = "w2k22" }, want: `edition "w2k22": expected "2k19", "2k22" or "2k25"`},
		"name and number":          {change: func(s *Task) { s.ImageName, s.ImageIndex = "x", 1 }, want: `expected image_name or image_index, not both`},
		"negative number":          {change: func(s *Task) { s.ImageIndex = -1 }, want: `image_index -1: expected a number from 1`},
		"no certificate": {change: func(s *Task) { s.Certificate = "" },
			want: `expected certificate and private_key, which WinRM over HTTPS needs`},
		"tiny mtu": {change: func(s *Task) { s.MTU = 500 }, want: `mtu 500: expected 576 to 65535 bytes`},
		"long hostname": {change: func(s *Task) { s.Hostname = "k8s-compute-0001" },
			want: `hostname "k8s-compute-0001": expected up to 15 letters, digits and hyphens, not digits alone`},
		"simple password": {change: func(s *Task) { s.Password = "opensesame" },
			want: `password: expected three of small letters, capitals, digits and other characters`},
		"host key of another format": {change: func(s *Task) { s.HostKey.Private = "hunter2" },
			want: `host_key: private is no private key in the format of OpenSSH`},
		"host key of another type": {change: func(s *Task) { s.HostKey.Public = "ssh-rsa AAAA" },
			want: `host_key: public is no Ed25519 key: expected "ssh-ed25519 " and the key`},
		"marker of Linux":  {change: func(s *Task) { s.Marker = "/ready" }, want: `marker "/ready": expected a path such as "C:/ProgramData/site/note.txt"`},
		"relative openssh": {change: func(s *Task) { s.OpenSSH = "a.msi" }, want: `openssh "a.msi": expected an absolute path of the host`},
		"file without a drive": {change: func(s *Task) { s.Files = []File{{Path: "a"}} },
			want: `file 1: path "a": expected a path such as "C:/ProgramData/site/note.txt"`},
		"file with both": {change: func(s *Task) { s.Files = []File{{Path: "C:/a", Content: "x", Source: "/a"}} },
			want: `file 1: source "/a": expected an absolute path of the host, without content`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			task := guest(t, "/images/win-01.iso")()
			c.change(task)
			got := ""
			if err := module.Check(task); err != nil {
				got = err.Error()
			}
			moduletest.Same(t, "mistake", got, c.want)
		})
	}
}

func TestTaskPrintsNoSecret(t *testing.T) {
	t.Parallel()
	task := guest(t, "/images/win-01.iso")()
	task.ProductKey, task.Files = "WX4NM-KYWYW", []File{{Path: "C:/a", Content: "hidden"}}
	text := fmt.Sprintf("%v %+v %#v", task, *task, *task.HostKey)
	for _, hidden := range []string{"hunter2", "WX4NM", "c2VjcmV0", "hidden", task.PrivateKey.Reveal()} {
		if strings.Contains(text, hidden) {
			t.Errorf("it shows %q", hidden)
		}
	}
}

package sshkey_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/ssh_key"
)

func task(path string, change func(*sshkey.Task)) module.Task {
	return moduletest.Make(sshkey.Kind(), func(made *sshkey.Task) {
		made.Path, made.Comment = path, "kinit k8s"
	}, change)
}

func TestContract(t *testing.T) {
	t.Parallel()
	for _, owner := range []string{"", "k8s"} {
		h := moduletest.LocalHost(t, owner)
		moduletest.Run(t, moduletest.Case{
			Host:   h,
			New:    func() module.Task { return task(h.Path("keys", "id"), nil) },
			Absent: func() module.Task { return task(h.Path("keys", "id"), func(t *sshkey.Task) { t.State = "absent" }) },
		})
	}
}

func TestSshKeygenReadsBothHalves(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("ssh-keygen"); err != nil {
		t.Skip("no ssh-keygen")
	}
	h := moduletest.LocalHost(t, "k8s")
	made := task(h.Path("id"), nil)
	moduletest.Do(t, made, h)
	derived, err := exec.Command("ssh-keygen", "-y", "-f", h.Path("id")).Output()
	if err != nil {
		t.Fatal(err)
	}
	values := moduletest.Outputs(t, made, h)
	if got := strings.TrimSpace(string(derived)); got != values["public_key"].AsString() {
		t.Errorf("ssh-keygen derives %q, the public key is %q", got, values["public_key"].AsString())
	}
	shown, err := exec.Command("ssh-keygen", "-l", "-f", h.Path("id.pub")).Output()
	if err != nil {
		t.Fatal(err)
	}
	want := "256 " + values["fingerprint"].AsString() + " kinit k8s (ED25519)\n"
	if string(shown) != want {
		t.Errorf("ssh-keygen shows %q, want %q", shown, want)
	}
}

func TestPrivateKeyIsKeptAndSecret(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "k8s")
	moduletest.Do(t, task(h.Path("id"), nil), h)
	before, err := os.ReadFile(h.Path("id"))
	if err != nil {
		t.Fatal(err)
	}
	changed := task(h.Path("id"), func(t *sshkey.Task) { t.Comment = "other" })
	moduletest.Do(t, changed, h)
	values := moduletest.Outputs(t, changed, h)
	if got := values["private_key"].AsString(); got != string(before) {
		t.Error("the private key has changed with the comment")
	}
	if !strings.HasSuffix(values["public_key"].AsString(), " other") {
		t.Errorf("public key %q, want the new comment", values["public_key"].AsString())
	}
	if got := h.Redact("<" + string(before) + ">"); got != "<***>" {
		t.Errorf("redacted %q, want %q", got, "<***>")
	}
	if info, err := os.Stat(h.Path("id")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v, want 0600", info.Mode(), err)
	}
}

func TestUnreadableKeyIsNeverReplaced(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.FS.Put("/srv/id", "garbage", 0o600)
	_, err := task("/srv/id", nil).Plan(t.Context(), h)
	want := "/srv/id is no private key that kinit can read (ssh: no key found): move it away, or use another path"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, change := range map[string]func(*sshkey.Task){
		`path is "id", expected an absolute path`:                                func(t *sshkey.Task) { t.Path = "id" },
		`type is "dsa", want one of ed25519, rsa, ecdsa`:                         func(t *sshkey.Task) { t.Type = "dsa" },
		`bits is 1024, want 2048 to 16384 with type = "rsa"`:                     func(t *sshkey.Task) { t.Type, t.Bits = "rsa", 1024 },
		`bits is 255, want 256, 384 or 521 with type = "ecdsa"`:                  func(t *sshkey.Task) { t.Type, t.Bits = "ecdsa", 255 },
		`bits is 256, but keys of type = "ed25519" have one length: remove bits`: func(t *sshkey.Task) { t.Bits = 256 },
		`comment has a line break, expected one line`:                            func(t *sshkey.Task) { t.Comment = "a\nb" },
		`state is "gone", want one of present, absent`:                           func(t *sshkey.Task) { t.State = "gone" },
	} {
		moduletest.Refused(t, task("/srv/id", change), want)
	}
}

func TestAKeyOfAnotherTypeOrLengthIsReplacedIfAsked(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	keyOf := func(change func(*sshkey.Task)) string {
		t.Helper()
		made := task(h.Path("id"), change)
		moduletest.Do(t, made, h)
		out, err := exec.Command("ssh-keygen", "-l", "-f", h.Path("id")).Output()
		if err != nil {
			t.Fatal(err)
		}
		fields := strings.Fields(string(out))
		return fields[0] + " " + fields[len(fields)-1]
	}
	for _, step := range []struct {
		change func(*sshkey.Task)
		want   string
	}{
		{func(t *sshkey.Task) { t.Type, t.Bits = "rsa", 2048 }, "2048 (RSA)"},
		{func(t *sshkey.Task) { t.Type, t.Bits = "rsa", 3072 }, "2048 (RSA)"},
		{func(t *sshkey.Task) { t.Type, t.Replace = "rsa", true }, "2048 (RSA)"},
		{func(t *sshkey.Task) { t.Type, t.Bits, t.Replace = "rsa", 3072, true }, "3072 (RSA)"},
		{func(t *sshkey.Task) { t.Type, t.Bits, t.Replace = "ecdsa", 521, true }, "521 (ECDSA)"},
		{func(t *sshkey.Task) { t.Replace = true }, "256 (ED25519)"},
	} {
		if got := keyOf(step.change); got != step.want {
			t.Errorf("the key is %s, want %s", got, step.want)
		}
	}
	replaced := task(h.Path("id"), func(t *sshkey.Task) { t.Type, t.Replace = "ecdsa", true })
	steps, err := replaced.Plan(t.Context(), h)
	if err != nil {
		t.Fatal(err)
	}
	want := "replace ssh key " + h.Path("id") + ", which is of type ed25519 with 256 bits, by one of type ecdsa with 256 bits"
	if len(steps) != 1 || steps[0].String() != want {
		t.Errorf("steps %v, want %s", steps, want)
	}
}

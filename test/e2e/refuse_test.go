package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// refuses checks that a run ended with a code and named each cause.
func (r result) refuses(t *testing.T, code int, causes ...string) {
	t.Helper()
	if r.code != code {
		t.Errorf("exit %d, want %d", r.code, code)
	}
	said := r.stdout + r.stderr
	for _, cause := range causes {
		if !strings.Contains(said, cause) {
			t.Errorf("it does not say %q", cause)
		}
	}
	if t.Failed() {
		t.Log(tail(said, 60))
	}
}

// refusals are runs that cannot work, each with its reason. What they have begun is
// not in the way: the steps after this one go on from there.
func refusals(t *testing.T, k *kinit) {
	run := []string{"run", spec, "--hosts", hosts, "--output", "quiet"}

	step(t, "too few hypervisors is an error that names both numbers", func(t *testing.T) {
		r := k.call(t, "run", "k8s-libvirt-1-1-2", "--hosts", "nyctea", "--output", "quiet")
		r.refuses(t, 3, "2", "1 ")
	})

	step(t, "an unknown host is an error that names the near one", func(t *testing.T) {
		r := k.call(t, "run", spec, "--hosts", "nyctae,tyto", "--output", "quiet")
		r.refuses(t, 3, `"nyctae"`, `"nyctea"`)
	})

	step(t, "a changed host key is refused", func(t *testing.T) {
		file := edited(t, k, func(text string) string {
			keys := regexp.MustCompile(`ssh-ed25519 [A-Za-z0-9+/=]+`).FindAllString(text, -1)
			return strings.Replace(text, keys[1], keys[0], 1)
		})
		k.call(t, append(run, "-i", file, "--stop-after", "prepare")...).refuses(t, 5, "Host key", "tyto")
	})

	step(t, "a key that opens nothing is refused", func(t *testing.T) {
		file := edited(t, k, func(text string) string {
			return regexp.MustCompile(`identity_file = ".*"`).ReplaceAllString(text, `identity_file = "`+newKey(t)+`"`)
		})
		k.call(t, append(run, "-i", file, "--stop-after", "prepare")...).refuses(t, 5, "Authentication failed", "nyctea")
	})

	step(t, "every reason why hypervisors do not do is told at once, before anything is built", func(t *testing.T) {
		on(t, "nyctea", "systemd-run --quiet --unit=foreign-listener socat TCP-LISTEN:6443,fork /dev/null")
		r := k.call(t, append(run, "--stop-after", "network",
			"--var", "compute_memory=9999GiB", "--var", "least_room_gib=999999", "--var", "network_cidr="+labSubnet)...)
		on(t, "nyctea", "systemctl stop foreign-listener")
		r.refuses(t, 1, "Too little memory", "port in use: 6443", "GiB free", "network "+labSubnet+" is in use")
		if left := on(t, "nyctea", "virsh -c qemu:///system list --all --name; ovs-vsctl list-br"); strings.Contains(left, "br-ex") || strings.Contains(left, "k8s") {
			t.Errorf("something was built:\n%s", left)
		}
	})

	step(t, "a hypervisor without KVM is refused where guests are to use it", func(t *testing.T) {
		on(t, "nyctea", "rm -f /dev/kvm")
		r := k.call(t, append(run, "--stop-after", "validate", "--var", "virt_type=kvm")...)
		r.refuses(t, 1, "there is no /dev/kvm", `set the variable virt_type to "qemu"`)
	})

	step(t, "an image with another checksum is refused", func(t *testing.T) {
		zeros := strings.Repeat("0", 64)
		r := k.call(t, append(run, "--stop-after", "images", "--var", `guest_image={url="file:///srv/kinit/guest.qcow2",sha256="`+zeros+`"}`)...)
		r.refuses(t, 1, "sha256", zeros)
	})
}

// edited is a copy of the lab's inventory with a change.
func edited(t *testing.T, k *kinit, change func(string) string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(k.home, "config", "kinit", "inventories", labName+".hcl"))
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(text))
	if changed == string(text) {
		t.Fatal("the inventory is as it was")
	}
	file := filepath.Join(t.TempDir(), "inventory.hcl")
	if err := os.WriteFile(file, []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// newKey is a private key that no host knows.
func newKey(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "key")
	if out, err := exec.CommandContext(t.Context(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", file).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v\n%s", err, out)
	}
	return file
}

package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// guests are those of the cluster "bare-libvirt" on its own network, with who runs them.
var guests = map[string]struct{ address, hypervisor string }{
	"bare-libvirt-controller-01": {"10.1.0.1", "nyctea"},
	"bare-libvirt-compute-01":    {"10.1.0.2", "tyto"},
}

// rebootGuests runs the example of rolling restarts on virtual machines, because a
// lab's hypervisors are containers: the one guest that asks for a restart gets it, and
// the second time none does.
func rebootGuests(t *testing.T, k *kinit) {
	t.Helper()
	const marked = "bare-libvirt-compute-01"
	args := []string{"run", "examples/reboot/site.hcl", "-i", guestInventory(t), "-i", labInventory(k), "--hosts", "guest", "--output", "json"}
	boots := map[string]string{}
	for name := range guests {
		boots[name] = onGuest(t, k, name, "cat /proc/sys/kernel/random/boot_id")
	}
	onGuest(t, k, marked, "touch /run/reboot-required")

	changed := k.must(t, args...).finished("changed")
	if len(changed) != 1 || !strings.HasPrefix(changed[0], `task.reboot.host["`+marked+`"]`) {
		t.Errorf("changed:\n%s\nwant a restart of %s alone", strings.Join(changed, "\n"), marked)
	}
	for name, before := range boots {
		after := onGuest(t, k, name, "cat /proc/sys/kernel/random/boot_id")
		if restarted := after != before; restarted != (name == marked) {
			t.Errorf("%s restarted: %v", name, restarted)
		}
	}
	if changed := k.must(t, args...).finished("changed"); len(changed) > 0 {
		t.Errorf("changed again:\n%s", strings.Join(changed, "\n"))
	}
}

// onGuest runs a script as root on a guest of the other cluster.
func onGuest(t *testing.T, k *kinit, name, script string) string {
	t.Helper()
	args := append([]string{"ssh"}, other[1:]...)
	return k.must(t, append(args, name, "--", "sudo", "sh", "-c", script)...).stdout
}

func labInventory(k *kinit) string {
	return filepath.Join(k.home, "config", "kinit", "inventories", labName+".hcl")
}

// guestInventory names the guests as anybody would who knows their key.
func guestInventory(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	key := filepath.Join(folder, "key")
	const keys = "/var/lib/kinit/clusters/bare-libvirt/ssh/"
	if err := os.WriteFile(key, []byte(on(t, "nyctea", "cat "+keys+"cluster")), 0o600); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	var names []string
	for name, guest := range guests {
		names = append(names, fmt.Sprintf("%q", name))
		public := strings.TrimSpace(on(t, "nyctea", "cat "+keys+name+".pub"))
		fmt.Fprintf(&b, "host %q {\n  address = %q\n  user = %q\n  become = true\n  via = %q\n  identity_file = %q\n  host_keys = [%q]\n}\n",
			name, guest.address, guestUser, guest.hypervisor, key, public)
	}
	fmt.Fprintf(&b, "group \"guest\" {\n  hosts = [%s]\n}\n", strings.Join(names, ", "))
	path := filepath.Join(folder, "guests.hcl")
	if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

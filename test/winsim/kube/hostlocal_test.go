package kube_test

import (
	"strings"
	"testing"

	"kinit/test/winsim/machine"
)

// allocate is how host-local is called.
func (w *windows) allocate(container, config string) (uint32, string) {
	w.t.Helper()
	var out strings.Builder
	env := w.Environment("S-1-5-18")
	for name, value := range map[string]string{"CNI_COMMAND": "ADD", "CNI_CONTAINERID": container, "CNI_NETNS": "none", "CNI_IFNAME": "eth0", "CNI_PATH": `C:\opt\cni\bin`} {
		env.Set(name, value)
	}
	p, err := w.Launch(w.t.Context(), machine.Start{Program: `C:\opt\cni\bin\host-local.exe`, Stdin: strings.NewReader(config), Stdout: &out, Stderr: &out, Env: env})
	w.must(err)
	return p.Wait(), out.String()
}

func TestHostLocalGivesAddressesInTurn(t *testing.T) {
	t.Parallel()
	w := boot(t)
	w.put(`C:\opt\cni\bin\host-local.exe`, string(machine.Stand("host-local", "v1.6.2")))
	const config = `{"cniVersion": "0.3.1", "name": "flannel.4096", "ipam": {"type": "host-local", "dataDir": "C:\\var\\lib\\cni\\networks", "ranges": [[{"subnet": "10.244.1.0/29"}]]}}`
	for i, want := range []string{"10.244.1.2/29", "10.244.1.3/29", "10.244.1.4/29", "10.244.1.5/29", "10.244.1.6/29"} {
		code, out := w.allocate(string(rune('a'+i)), config)
		if code != 0 || !strings.Contains(out, `"address": "`+want+`"`) || !strings.Contains(out, `"gateway": "10.244.1.1"`) {
			t.Errorf("address %d: code %d, %s, want %s", i, code, out, want)
		}
	}
	if code, out := w.allocate("f", config); code != 1 || !strings.Contains(out, "no IP addresses available in range set") {
		t.Errorf("a subnet that is full: code %d, %s", code, out)
	}
	if code, out := w.allocate("b", config); code != 1 || !strings.Contains(out, "10.244.1.3 has been allocated to b, duplicate allocation is not allowed") {
		t.Errorf("the same container again: code %d, %s", code, out)
	}
	w.must(w.Files.Remove(`C:\var\lib\cni\networks\flannel.4096\10.244.1.3`, false))
	if code, out := w.allocate("f", config); code != 0 || !strings.Contains(out, `"address": "10.244.1.3/29"`) {
		t.Errorf("an address that was given back: code %d, %s", code, out)
	}
	if code, out := w.allocate("g", strings.Replace(config, "10.244.1.0/29", "10.244.1.1/29", 1)); code != 1 || !strings.Contains(out, "network has host bits set") {
		t.Errorf("no subnet: code %d, %s", code, out)
	}
}

package facts

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/need"
)

// debian is a fake host with what a Debian 12 machine says.
func debian(t *testing.T) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, "")
	for path, text := range map[string]string{
		"/etc/os-release":            "PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nVERSION_CODENAME=bookworm\nID=debian\n",
		"/proc/sys/kernel/hostname":  "nyctea\n",
		"/proc/sys/kernel/osrelease": "6.1.0-18-amd64\n",
		"/proc/cpuinfo":              "processor\t: 0\nmodel name\t: a processor: fast\n\nprocessor\t: 1\n",
		"/proc/meminfo":              "MemTotal:       24684092 kB\nMemFree:        17935928 kB\nMemAvailable:   23511840 kB\n",
		"/run/systemd/system/x":      "",
		"/dev/kvm":                   "",
		"/run/systemd/container":     "podman\n",

		"/sys/fs/cgroup/cgroup.controllers": "cpuset cpu io memory pids\n",
	} {
		h.FS.Put(path, text, 0o644)
	}
	h.On(processor().Argv...).Out("x86_64\npace 100.00 100.73 25\n/proc/self/mounts\n/dev/vda1 / ext4 rw,relatime 0 0\nnfs:/a\\040b /srv/a\\040b nfs4 ro 0 0\n")
	h.On("ip", "-json", "address", "show").Out(recorded(t, "ip-address.json"))
	h.On("ip", "-json", "-4", "route", "show", "default").Out(`[{"dst":"default","gateway":"192.0.2.1","dev":"eth0","flags":[]}]` + "\n")
	return h
}

func recorded(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestSuite(t *testing.T) {
	t.Parallel()
	for _, h := range []module.Host{debian(t), moduletest.LocalHost(t, "")} {
		moduletest.Run(t, moduletest.Case{New: func() module.Task { return &Task{} }, Host: h, NoSteps: true})
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	got, err := module.Outputs(t.Context(), &Task{Address: "fd00:0::2"}, debian(t))
	if err != nil {
		t.Fatal(err)
	}
	strings := func(list ...string) cty.Value {
		var values []cty.Value
		for _, s := range list {
			values = append(values, cty.StringVal(s))
		}
		return cty.ListVal(values)
	}
	entry := func(mtu int64, mac string, addresses cty.Value) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"mtu": cty.NumberIntVal(mtu), "mac": cty.StringVal(mac), "addresses": addresses})
	}
	mount := func(source, fstype string, options ...string) cty.Value {
		return cty.ObjectVal(map[string]cty.Value{"source": cty.StringVal(source), "fstype": cty.StringVal(fstype), "options": strings(options...)})
	}
	want := map[string]cty.Value{
		"os_codename": cty.StringVal("bookworm"), "service_manager": cty.StringVal("systemd"),
		"mounts":   cty.MapVal(map[string]cty.Value{"/": mount("/dev/vda1", "ext4", "rw", "relatime"), "/srv/a b": mount("nfs:/a b", "nfs4", "ro")}),
		"hostname": cty.StringVal("nyctea"), "os_family": cty.StringVal("debian"), "selinux": cty.StringVal(""), "os_id": cty.StringVal("debian"), "os_version": cty.StringVal("12"),
		"kernel": cty.StringVal("6.1.0-18-amd64"), "machine": cty.StringVal("x86_64"), "arch": cty.StringVal("amd64"),
		"cpus": cty.NumberIntVal(2), "pace": cty.NumberFloatVal(7.3), "memory_bytes": cty.NumberIntVal(24684092 << 10),
		"memory_available_bytes": cty.NumberIntVal(23511840 << 10), "kvm": cty.True,
		"container": cty.StringVal("podman"), "cgroups": cty.NumberIntVal(2),
		"interfaces": cty.MapVal(map[string]cty.Value{
			"lo":   entry(65536, "00:00:00:00:00:00", strings("127.0.0.1", "::1")),
			"ifb0": entry(1500, "82:51:48:19:3b:1c", cty.ListValEmpty(cty.String)),
			"eth0": entry(1400, "02:fc:00:00:00:01", strings("192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1")),
		}),
		"default_interface": cty.StringVal("eth0"), "default_address": cty.StringVal("192.0.2.2"),
		"route_address": cty.StringVal("fd00::2"), "route_interface": cty.StringVal("eth0"), "route_mtu": cty.NumberIntVal(1400),
	}
	for name := range want {
		if !got[name].RawEquals(want[name]) {
			t.Errorf("%s is %#v, want %#v", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d outputs, want %d", len(got), len(want))
	}
}

func TestFamilyOfTheSystem(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{
		"ID=ubuntu\nID_LIKE=debian\n":              "debian",
		"ID=raspbian\nID_LIKE=debian\n":            "debian",
		"ID=\"centos\"\nID_LIKE=\"rhel fedora\"\n": "rhel",
		"ID=fedora\n": "rhel",
		"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n":    "rhel",
		"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n": "suse",
		"ID=arch\n": "arch",
	} {
		h := debian(t)
		h.FS.Put("/etc/os-release", release, 0o644)
		moduletest.Same(t, release, moduletest.Outputs(t, &Task{}, h)["os_family"].AsString(), want)
	}
}

func TestServiceManagerOfHostsWithoutSystemd(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{"/run/openrc/softlevel": "openrc", "/proc/1/comm": "sleep"} {
		h := debian(t)
		if err := h.FS.Remove(t.Context(), "/run/systemd/system"); err != nil {
			t.Fatal(err)
		}
		h.FS.Put(file, "sleep\n", 0o644)
		moduletest.Same(t, file, moduletest.Outputs(t, &Task{}, h)["service_manager"].AsString(), want)
	}
}

func TestModeOfSELinux(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"1": "enforcing", "0": "permissive"} {
		h := debian(t)
		h.FS.Put("/sys/fs/selinux/enforce", text, 0o644)
		moduletest.Same(t, "selinux", moduletest.Outputs(t, &Task{}, h)["selinux"].AsString(), want)
	}
}

func TestMachineWithAKernelOfItsOwnAndGroupsOfBothVersions(t *testing.T) {
	t.Parallel()
	h := debian(t)
	for _, path := range []string{"/run/systemd/container", "/sys/fs/cgroup/cgroup.controllers"} {
		if err := h.FS.Remove(t.Context(), path); err != nil {
			t.Fatal(err)
		}
	}
	got := moduletest.Outputs(t, &Task{}, h)
	if !got["container"].RawEquals(cty.StringVal("")) || !got["cgroups"].RawEquals(cty.NumberIntVal(1)) {
		t.Errorf("container %#v, cgroups %#v, want none and 1", got["container"], got["cgroups"])
	}
}

func TestDefaultRouteWithTheLeastMetricIsTaken(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("ip", "-json", "address", "show").Out("[]")
	h.On("ip", "-json", "-4", "route", "show", "default").
		Out(`[{"dev":"wlan0","metric":600},{"dev":"eth0","metric":100,"prefsrc":"192.0.2.9"}]`)
	n, err := readNetwork(t.Context(), h)
	if err != nil || n.defaultInterface != "eth0" || n.defaultAddress() != "192.0.2.9" {
		t.Errorf("interface %s, address %s, %v", n.defaultInterface, n.defaultAddress(), err)
	}
}

func TestHostWithoutDefaultRoute(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("ip", "-json", "address", "show").Out(recorded(t, "ip-address.json"))
	h.On("ip", "-json", "-4", "route", "show", "default").Out("")
	n, err := readNetwork(t.Context(), h)
	if err != nil || n.defaultInterface != "" || n.defaultAddress() != "" {
		t.Errorf("interface %q, address %q, %v", n.defaultInterface, n.defaultAddress(), err)
	}
}

func TestAddressThatNoInterfaceHasIsExplained(t *testing.T) {
	t.Parallel()
	_, err := module.Outputs(t.Context(), &Task{Address: "10.0.0.1"}, debian(t))
	want := "no interface has the address 10.0.0.1, the host has 127.0.0.1, ::1, 192.0.2.2, fd00::2, fe80::fc:ff:fe00:1"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

// Small images of Debian and Fedora have no iproute2.
func TestHostWithoutIproute2HasTheSameFacts(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("ip", "-json", "address", "show").Fail(127, "sh: ip: not found")
	h.On("sh", "-c", kernelScript).Out(recorded(t, "kernel.txt"))
	n, err := readNetwork(t.Context(), h)
	if err != nil || n.defaultInterface != "eth0" || n.defaultAddress() != "192.0.2.2" {
		t.Fatalf("interface %q, address %q, %v", n.defaultInterface, n.defaultAddress(), err)
	}
	want := map[string]Interface{
		"lo":      {MTU: 65536, MAC: "00:00:00:00:00:00", Addresses: []string{"127.0.0.1", "::1"}},
		"eth0":    {MTU: 1400, MAC: "02:fc:00:00:00:01", Addresses: []string{"192.0.2.2", "fd00::2", "fe80::fc:ff:fe00:1"}},
		"podman1": {MTU: 1500, MAC: "2e:c0:d0:c8:3e:cf", Addresses: []string{"10.78.0.1", "fe80::e474:71ff:fe34:795f"}},
	}
	if diff := cmp.Diff(want, n.value()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// What the kernel of this machine tells is what ip reads.
func TestKernelTellsWhatIpTells(t *testing.T) {
	t.Parallel()
	need.Programs(t, "iproute2", "ip")
	out, err := exec.Command("sh", "-c", kernelScript).Output()
	if err != nil {
		t.Fatal(err)
	}
	got := parseKernel(string(out))
	text, err := exec.Command("ip", "-json", "address", "show", "dev", "lo").Output()
	var lo []iface
	if err == nil {
		err = json.Unmarshal(text, &lo)
	}
	if err != nil || len(lo) != 1 || len(got.interfaces) == 0 {
		t.Fatalf("%v: %s; %+v", err, text, got)
	}
	if diff := cmp.Diff(lo[0].MTU, got.interfaces[0].MTU); diff != "" || got.interfaces[0].Name != "lo" || got.value()["lo"].Addresses[0] != "127.0.0.1" {
		t.Errorf("lo is %+v, want %+v", got.interfaces[0], lo[0])
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	moduletest.Refused(t, &Task{Address: "eth0"}, `address is "eth0", want an IP address`)
	for _, age := range []string{"1", "day", "0s", "-1h"} {
		moduletest.Refused(t, &Task{Oldest: age}, `max_age is "`+age+`", want a time such as "1h"`)
	}
	if task := (&Task{Oldest: "90m"}); module.Check(task) != nil || task.MaxAge() != 90*time.Minute {
		t.Errorf("max_age 90m: %v, %s", module.Check(task), task.MaxAge())
	}
}

func TestAddressesWithoutASubnetAreOnTheInterfaceThatCanHaveThem(t *testing.T) {
	t.Parallel()
	const (
		lo      = "link 1 lo 65536 00:00:00:00:00:00\nfib_trie       |-- 127.0.0.1\nfib_trie          /32 host LOCAL\n"
		eth     = "link 2 eth0 1460 42:01:0a:80:00:02\n"
		docker  = "link 3 docker0 1500 02:42:00:00:00:01\n"
		ipvs    = "link 4 kube-ipvs0 1500 02:42:00:00:00:02\n"
		byRoute = "route docker0 000011AC 00000000 0001 0 0 0 0000FFFF 0 0 0\nfib_trie       |-- 172.17.0.1\nfib_trie          /32 host LOCAL\n"
		// A machine of a cloud: the gateway has a route of its own, and the address none.
		cloud = "route eth0 00000000 0100800A 0003 0 0 100 00000000 0 0 0\nroute eth0 0100800A 00000000 0005 0 0 100 FFFFFFFF 0 0 0\n" +
			"fib_trie       |-- 10.128.0.2\nfib_trie          /32 host LOCAL\n"
		service = "fib_trie       |-- 10.96.0.1\nfib_trie          /32 host LOCAL\n"
	)
	for name, c := range map[string]struct {
		text string
		want map[string][]string
	}{
		"a machine of a cloud":         {lo + eth + cloud, map[string][]string{"lo": {"127.0.0.1"}, "eth0": {"10.128.0.2"}}},
		"beside a bridge":              {lo + eth + docker + cloud + byRoute, map[string][]string{"lo": {"127.0.0.1"}, "eth0": {"10.128.0.2"}, "docker0": {"172.17.0.1"}}},
		"beside an empty interface":    {lo + eth + ipvs + cloud, map[string][]string{"lo": {"127.0.0.1"}, "eth0": {"10.128.0.2"}}},
		"two, and only one interface":  {lo + eth + cloud + service, map[string][]string{"lo": {"127.0.0.1"}, "eth0": {"10.128.0.2", "10.96.0.1"}}},
		"two, and either interface is": {lo + eth + ipvs + cloud + service, map[string][]string{"lo": {"127.0.0.1"}}},
	} {
		got := map[string][]string{}
		for _, i := range parseKernel(c.text).interfaces {
			for _, a := range i.Addresses {
				got[i.Name] = append(got[i.Name], a.Local)
			}
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

package containerd

import (
	"os"
	"strings"
	"testing"

	"kinit/test/winsim/machine"
)

// configuration is that of kinit's Windows nodes with win-overlay.
func configuration(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../../specs/kubeadm/files/windows-cni.json")
	if err != nil {
		t.Fatal(err)
	}
	values := strings.NewReplacer("${network}", "flannel.4096", "${plugin}", "win-overlay", "${address}", "10.0.0.5",
		"${pod_cidr}", "10.244.0.0/16", "${service_cidr}", "10.96.0.0/12")
	var lines []string
	other := false
	for line := range strings.Lines(string(text)) {
		switch directive := strings.HasPrefix(line, "%{"); {
		case directive:
			other = strings.Contains(line, "else")
		case !other:
			lines = append(lines, line)
		}
	}
	return values.Replace(strings.Join(lines, ""))
}

func TestConfigurationsOfTheNetworkWithWhichNoPodStartsAreRefused(t *testing.T) {
	t.Parallel()
	release, _ := machine.FindRelease("2k22")
	m, err := machine.New(machine.Options{Folder: t.TempDir(), Release: release, Name: "W1", Log: func(line string) { t.Log(line) }})
	if err != nil {
		t.Fatal(err)
	}
	const bin, conf = `C:\opt\cni\bin`, `C:\etc\cni\net.d`
	for _, path := range []string{bin, conf} {
		if err := m.Files.Mkdir(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, plugin := range []string{"flannel", "win-overlay"} {
		if err := m.Files.WriteFile(bin+`\`+plugin+`.exe`, machine.Stand(plugin, "v1.6.2")); err != nil {
			t.Fatal(err)
		}
	}
	r := &Runtime{machine: m, binDirs: []string{bin}, confDir: conf}
	whole := configuration(t)
	for _, tc := range []struct{ what, old, wrong, want string }{
		{"as kinit writes it", "", "", ""},
		{"no version of the API", `"apiVersion": 2,`, "", "failed to find HNSEndpoint"},
		{"version 1 of the API", `"apiVersion": 2`, `"apiVersion": 1`, "failed to find HNSEndpoint"},
		{"the version as a text", `"apiVersion": 2`, `"apiVersion": "2"`, "failed to find HNSEndpoint"},
		{"a key of another plugin", `"policies"`, `"AdditionalArgs"`, `does not read "AdditionalArgs"`},
		{"a key of win-bridge", `"apiVersion": 2`, `"apiVersion": 2, "ipMasqNetwork": "10.0.0.0/8"`, `does not read "ipMasqNetwork"`},
		{"a policy of version 1", `"Type": "OutBoundNAT", "Settings": {"Exceptions"`, `"Type": "OutBoundNAT", "ExceptionList": {"Exceptions"`, "a policy of version 2 has"},
		{"a policy of another name", `{"name": "EndpointPolicy", "value": {"Type": "SDNRoute"`, `{"name": "Policy", "value": {"Type": "SDNRoute"`, "a policy of version 2 has"},
		{"a policy in the old form", `"EndpointPolicy", "value": {"Type": "ProviderAddress", "Settings": {"ProviderAddress": "10.0.0.5"}}`, `"EndpointPolicy", "value": {"Type": "PA", "PA": "10.0.0.5"}`, "a policy of version 2 has"},
		{"a plugin that is not there", `"win-overlay"`, `"win-bridge"`, `failed to find plugin "win-bridge"`},
		{"no name", `"name": "flannel.4096",`, "", "cni plugin not initialized"},
		{"no JSON", `"cniVersion"`, `cniVersion`, "cni plugin not initialized"},
	} {
		if tc.old != "" && !strings.Contains(whole, tc.old) {
			t.Fatalf("%s: kinit's configuration has no %s:\n%s", tc.what, tc.old, whole)
		}
		text := strings.Replace(whole, tc.old, tc.wrong, 1)
		if err := m.Files.WriteFile(conf+`\10-flannel.conf`, []byte(text)); err != nil {
			t.Fatal(err)
		}
		said := ""
		if err := r.Network(); err != nil {
			said = err.Error()
		}
		if tc.want == "" && said != "" || !strings.Contains(said, tc.want) {
			t.Errorf("%s: %q, want %q", tc.what, said, tc.want)
		}
	}
}

package host

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"kinit/engine/secret"
	"kinit/test/winsim/nodetest"
)

// thisMachine is the identity of the machine that the test runs on.
func thisMachine(t *testing.T) Self {
	t.Helper()
	read := func(name string) string {
		text, err := os.ReadFile(name)
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(text))
	}
	return Self{ID: read("/etc/machine-id"), Boot: read("/proc/sys/kernel/random/boot_id")}
}

func TestMachineIsIdentifiedByItsMachineIDAndItsBoot(t *testing.T) {
	got, err := machine(t, &secret.Redactor{}).Self(t.Context())
	if want := thisMachine(t); err != nil || got != want {
		t.Errorf("%v, got %+v, want %+v", err, got, want)
	}
}

func TestMachineIDThatIsNoIDCountsAsMissing(t *testing.T) {
	const boot = "a7c62be6-a31c-4f37-a34f-32222a004fb7"
	for text, want := range map[string]string{
		"3d1219c7c4c5404aaa1f6d2a48adfda4":     "3d1219c7c4c5404aaa1f6d2a48adfda4",
		"3D1219C7-C4C5-404A-AA1F-6D2A48ADFDA4": "3d1219c7c4c5404aaa1f6d2a48adfda4", // MachineGuid
		"":                                     "",
		"uninitialized":                        "",
		"00000000000000000000000000000000":     "",
		"3d1219c7":                             "",
	} {
		if got := parseSelf(text + "\n" + boot + "\n"); got != (Self{ID: want, Boot: boot}) {
			t.Errorf("%q: %+v", text, got)
		}
	}
	if got := parseSelf(""); got != (Self{}) {
		t.Errorf("no answer: %+v", got)
	}
}

func TestWindowsMachineIsIdentifiedByMachineGuidAndItsFirstProcess(t *testing.T) {
	ids := map[Self]bool{}
	form := regexp.MustCompile(`^[0-9a-f]{32} \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z$`)
	for range 2 {
		node := nodetest.Start(t)
		for name, settings := range waysTo(node) {
			got, err := reach(t, settings).(*bound).Self(t.Context())
			if err != nil || !form.MatchString(got.ID+" "+got.Boot) {
				t.Errorf("%s: %v, %+v", name, err, got)
			}
			ids[got] = true
			has, err := reach(t, settings).(*bound).Has(t.Context(), "k8s", "cluster.json", nil)
			if err != nil || has.Self != got || len(has.Untold) > 0 {
				t.Errorf("%s: %v, %+v", name, err, has)
			}
		}
	}
	if len(ids) != 2 {
		t.Errorf("two machines have %d identities: %v", len(ids), ids)
	}
}

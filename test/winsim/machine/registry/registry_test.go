package registry_test

import (
	"errors"
	"slices"
	"testing"

	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/store"
	"kinit/test/winsim/machine/winerr"
)

func open(t *testing.T, folder string) *registry.Registry {
	t.Helper()
	r, err := registry.Open(store.In(folder, "registry"))
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestKeysHaveNoCaseAndSurvive(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	r := open(t, folder)
	if err := r.Set(`HKLM:\SOFTWARE\Kinit`, registry.Text("Name", "a"), registry.Number("Count", 7)); err != nil {
		t.Fatal(err)
	}
	if err := r.Set(`HKEY_LOCAL_MACHINE\software\KINIT`, registry.Text("NAME", "b")); err != nil {
		t.Fatal(err)
	}
	r = open(t, folder)
	values, err := r.Values(`hklm\Software\Kinit`)
	want := []registry.Value{{Name: "Name", Kind: registry.String, Text: "b"}, {Name: "Count", Kind: registry.DWord, Number: 7}}
	if err != nil || len(values) != 2 || values[0].Text != "b" || values[0].Name != want[0].Name || values[1].Number != 7 {
		t.Errorf("%+v %v, want %+v", values, err, want)
	}
	if name, err := r.Name(`HKLM\software\kinit`); err != nil || name != `HKEY_LOCAL_MACHINE\SOFTWARE\Kinit` {
		t.Errorf("%s %v", name, err)
	}
	if _, err := r.Values(`HKLM\SOFTWARE\Other`); !errors.Is(err, winerr.FileNotFound) {
		t.Errorf("a missing key: %v", err)
	}
}

func TestVolatileKeysEndWithTheBoot(t *testing.T) {
	t.Parallel()
	r := open(t, t.TempDir())
	for _, err := range []error{
		r.MakeVolatile(`HKLM\SOFTWARE\Servicing\RebootPending`), r.Make(`HKLM\SOFTWARE\Servicing\Packages`),
		r.Set(`HKLM\SOFTWARE\Servicing\RebootPending\Below`, registry.Number("x", 1)), r.Reboot(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	keys, err := r.Keys(`HKLM\SOFTWARE\Servicing`)
	if err != nil || !slices.Equal(keys, []string{"Packages"}) {
		t.Errorf("keys %q %v, want Packages", keys, err)
	}
}

func TestAKeyWithKeysBelowIsDeletedOnlyWithThem(t *testing.T) {
	t.Parallel()
	r := open(t, t.TempDir())
	if err := r.Make(`HKLM\SOFTWARE\A\B`); err != nil {
		t.Fatal(err)
	}
	if err := r.Delete(`HKLM\SOFTWARE\A`, false); err == nil || !r.Has(`HKLM\SOFTWARE\A\B`) {
		t.Errorf("deleted: %v", err)
	}
	if err := r.Delete(`HKLM\SOFTWARE\A`, true); err != nil || r.Has(`HKLM\SOFTWARE\A`) {
		t.Errorf("not deleted: %v", err)
	}
}

func TestTheUsersHiveIsHisOwn(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]string{
		`HKCU:\Environment`: `HKU\S-1-5-18\Environment`, `HKEY_CURRENT_USER`: `HKU\S-1-5-18`, `HKLM\X`: `HKLM\X`,
	} {
		if got := registry.For("S-1-5-18", path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}

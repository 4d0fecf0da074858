package vswitch

import (
	"maps"
	"testing"
)

func TestMappingsAreSettingsOfTheirOwn(t *testing.T) {
	t.Parallel()
	s := NewHostSettings(map[string]string{MappingsKey: "b:br-b,a:br-a", "keep": "this"})
	if err := s.Want(MappingSetting("provider"), "br-ex", "c1"); err != nil {
		t.Fatal(err)
	}
	if err := s.Want(MappingSetting("a"), "br-2", "c1"); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"keep": "this", MappingsKey: "a:br-2,b:br-b,provider:br-ex", "kinit-users-ovn-bridge-mappings/provider": "c1",
		"kinit-users-ovn-bridge-mappings/a": "c1", "kinit-prior-ovn-bridge-mappings/a": "br-a",
	}
	if !maps.Equal(s, want) {
		t.Errorf("settings %v, want %v", s, want)
	}
	s.Release("c1", nil)
	if want := map[string]string{"keep": "this", MappingsKey: "a:br-a,b:br-b"}; !maps.Equal(s, want) {
		t.Errorf("settings %v, want %v", s, want)
	}
}

package winregistry

import (
	"fmt"
	"strings"
)

// place is a key: its hive, by its name in .NET's RegistryHive, and its path.
type place struct {
	Hive string `json:"hive"`
	Key  string `json:"key"`
}

// hives are the hives by their names.
func hives() map[string]place {
	return map[string]place{
		"HKLM": {"LocalMachine", "HKEY_LOCAL_MACHINE"}, "HKEY_LOCAL_MACHINE": {"LocalMachine", "HKEY_LOCAL_MACHINE"},
		"HKCU": {"CurrentUser", "HKEY_CURRENT_USER"}, "HKEY_CURRENT_USER": {"CurrentUser", "HKEY_CURRENT_USER"},
		"HKU": {"Users", "HKEY_USERS"}, "HKEY_USERS": {"Users", "HKEY_USERS"},
		"HKCR": {"ClassesRoot", "HKEY_CLASSES_ROOT"}, "HKEY_CLASSES_ROOT": {"ClassesRoot", "HKEY_CLASSES_ROOT"},
		"HKCC": {"CurrentConfig", "HKEY_CURRENT_CONFIG"}, "HKEY_CURRENT_CONFIG": {"CurrentConfig", "HKEY_CURRENT_CONFIG"},
	}
}

// parseKey parses a key with its hive. A colon after the hive, as in PowerShell's drives,
// is allowed.
func parseKey(text string) (place, error) {
	path := text
	if !strings.Contains(path, `\`) {
		path = strings.ReplaceAll(path, "/", `\`)
	}
	hive, rest, _ := strings.Cut(path, `\`)
	known, ok := hives()[strings.ToUpper(strings.TrimSuffix(hive, ":"))]
	if !ok {
		return place{}, fmt.Errorf("key is %q, want one that begins with HKLM, HKCU, HKU, HKCR or HKCC", text)
	}
	for part := range strings.SplitSeq(rest, `\`) {
		if part == "" {
			return place{}, fmt.Errorf("key is %q, want a path below the hive without empty parts, such as \"HKLM/SOFTWARE/kinit\"", text)
		}
	}
	return place{known.Hive, rest}, nil
}

// full returns the key with its hive's full name.
func (p place) full() string {
	for name, known := range hives() {
		if known.Hive == p.Hive && name == known.Key {
			return name + `\` + p.Key
		}
	}
	return p.Key
}

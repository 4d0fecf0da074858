package winregistry

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const key, full = "key = \"HKLM/SOFTWARE/kinit\"\n", `HKEY_LOCAL_MACHINE\SOFTWARE\kinit`
	for _, c := range []struct {
		name, args string
		have       state
		want       string
	}{
		{"a value that is missing", "name = \"a\"\ntype = \"dword\"\nvalue = 1", state{}, "create a of " + full + ": 1"},
		{"a value that is right", "name = \"a\"\ntype = \"dword\"\nvalue = 255", state{Key: true, There: true, Kind: "DWord", Data: []string{"000000ff"}}, ""},
		{"another number", "name = \"a\"\ntype = \"qword\"\nvalue = 1", state{Key: true, There: true, Kind: "QWord", Data: []string{"ffffffffffffffff"}},
			"change a of " + full + ": 18446744073709551615 to 1"},
		{"another type", "name = \"a\"\nvalue = \"1\"", state{Key: true, There: true, Kind: "DWord", Data: []string{"00000001"}},
			"change a of " + full + `: DWord 1 to String "1"`},
		{"another list", "name = \"a\"\ntype = \"multistring\"\nvalue = [\"x\", \"y\"]", state{Key: true, There: true, Kind: "MultiString", Data: []string{"x"}},
			"change a of " + full + `: ["x"] to ["x", "y"]`},
		{"no list", "name = \"a\"\ntype = \"multistring\"\nvalue = []", state{Key: true, There: true, Kind: "MultiString", Data: []string{}}, ""},
		{"bytes in any case", "name = \"a\"\ntype = \"binary\"\nvalue = \"00FF\"", state{Key: true, There: true, Kind: "Binary", Data: []string{"00ff"}}, ""},
		{"the default value", "name = \"\"\nvalue = \"x\"", state{Key: true}, "create the default value of " + full + `: "x"`},
		{"a key that is missing", "", state{}, "create key " + full},
		{"a key that is there", "", state{Key: true}, ""},
		{"an absent value", "name = \"a\"\nstate = \"absent\"", state{Key: true, There: true}, "remove a of " + full},
		{"an absent value that is not there", "name = \"a\"\nstate = \"absent\"", state{Key: true}, ""},
		{"an absent key", "state = \"absent\"", state{Key: true}, "remove " + full},
		{"an absent key that is not there", "state = \"absent\"", state{}, ""},
	} {
		task := decode(t, key+c.args)
		w, err := task.wanted()
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := task.decide(w, c.have); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

func TestKeysHaveSlashesOrBackslashes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]place{
		`HKLM/SOFTWARE/kinit`:                  {"LocalMachine", `SOFTWARE\kinit`},
		`HKLM:\SOFTWARE\kinit`:                 {"LocalMachine", `SOFTWARE\kinit`},
		`hkcu/Environment`:                     {"CurrentUser", "Environment"},
		`HKEY_USERS\.DEFAULT`:                  {"Users", ".DEFAULT"},
		`HKLM\SYSTEM\Ciphers\RC4 128/128`:      {"LocalMachine", `SYSTEM\Ciphers\RC4 128/128`},
		`HKEY_CLASSES_ROOT/.txt`:               {"ClassesRoot", ".txt"},
		`HKCC/Software/Fonts`:                  {"CurrentConfig", `Software\Fonts`},
		`HKEY_LOCAL_MACHINE/SOFTWARE/a b/kiné`: {"LocalMachine", `SOFTWARE\a b\kiné`},
	} {
		got, err := parseKey(text)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v %s", text, err, diff)
		}
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`key = "SOFTWARE/kinit"`:                          `key is "SOFTWARE/kinit", want one that begins with HKLM, HKCU, HKU, HKCR or HKCC`,
		`key = "HKLM"`:                                    `key is "HKLM", want a path below the hive without empty parts, such as "HKLM/SOFTWARE/kinit"`,
		`key = "HKLM/a//b"`:                               `key is "HKLM/a//b", want a path below the hive without empty parts, such as "HKLM/SOFTWARE/kinit"`,
		"key = \"HKLM/a\"\ntype = \"number\"":             `type is "number", want one of string, expandstring, multistring, dword, qword, binary`,
		"key = \"HKLM/a\"\nname = \"b\"":                  "value is missing, want what the value should be",
		"key = \"HKLM/a\"\nvalue = \"b\"":                 "value is of a value that is there, want it beside name and without state = \"absent\"",
		"key = \"HKLM/a\"\nname = \"b\"\nvalue = [\"c\"]": `value is no text, as type "string" needs it`,
	} {
		moduletest.Refused(t, decode(t, args), want)
	}
	for args, want := range map[string]string{
		"type = \"dword\"\nvalue = -1":                         "value is -1, want a whole number from 0 to 2^32-1",
		"type = \"dword\"\nvalue = 4294967296":                 "value is 4294967296, want a whole number from 0 to 2^32-1",
		"type = \"qword\"\nvalue = 1.5":                        "value is 1.5, want a whole number from 0 to 2^64-1",
		"type = \"dword\"\nvalue = \"a\"":                      "value is no number, as dword and qword need it",
		"type = \"binary\"\nvalue = \"abc\"":                   "value is no hex digits, two for each byte, as type \"binary\" needs it",
		"type = \"multistring\"\nvalue = \"a\"":                "value is no list of texts, as type \"multistring\" needs it",
		"type = \"multistring\"\nvalue = [\"\"]":               "value has an empty text in it, which a multistring cannot keep",
		"type = \"qword\"\nvalue = " + strings.Repeat("9", 20): "value is 99999999999999999999, want a whole number from 0 to 2^64-1",
	} {
		moduletest.Refused(t, decode(t, "key = \"HKLM/a\"\nname = \"b\"\n"+args), want)
	}
}

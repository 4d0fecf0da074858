package winuser

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/engine/module/moduletest"
)

func decode(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), "name = \"operator\"\n"+args).(*Task)
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	yes, full := true, "Op Erator"
	have := state{There: true, SID: "S-1-5-21-1-2-3-1001", FullName: "Op", Enabled: false, Password: true, Groups: []string{"Users"}}
	for _, c := range []struct {
		name, args string
		have       state
		text       string
		change     change
	}{
		{"as it should be", "password = \"opensesame\"\ngroups = [\"Users\"]\nenabled = false", have, "", change{Name: "operator"}},
		{"nothing asked for", "", have, "", change{Name: "operator"}},
		{"another password", "password = \"opensesame\"", state{There: true}, "change user operator: password", change{Name: "operator", Password: "opensesame"}},
		{"all the rest", "full_name = \"Op Erator\"\npassword_never_expires = true\nenabled = true\ngroups = [\"Users\", \"S-1-5-32-544\"]", have,
			"change user operator: full name, password_never_expires, enabled, group S-1-5-32-544",
			change{Name: "operator", FullName: &full, NeverExpires: &yes, Enabled: &yes, Groups: []string{"S-1-5-32-544"}}},
		{"a new user", "password = \"opensesame\"\ngroups = [\"Users\"]\nenabled = true", state{}, "create user operator in Users",
			change{Name: "operator", Password: "opensesame", Enabled: &yes, Groups: []string{"Users"}}},
	} {
		text, got, err := decode(t, c.args).decide(c.have)
		if diff := cmp.Diff(c.change, got); text != c.text || err != nil || diff != "" {
			t.Errorf("%s: %q, %v, want %q %s", c.name, text, err, c.text, diff)
		}
	}
	_, _, err := decode(t, "").decide(state{})
	if want := "there is no user operator, and a new one needs a password"; err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`name = ""`:                        `name is "", want at most 20 characters without "/\[]:;|=,+*?<>@`,
		`name = "a/b"`:                     `name is "a/b", want at most 20 characters without "/\[]:;|=,+*?<>@`,
		`name = "abcdefghijklmnopqrstu"`:   `name is "abcdefghijklmnopqrstu", want at most 20 characters without "/\[]:;|=,+*?<>@`,
		"name = \"a\"\ngroups = [\"\"]":    `groups has an empty name, want one such as "Users" or a SID`,
		"name = \"a\"\nstate = \"locked\"": `state is "locked", want one of present, absent`,
		"name = \"a\"\ndescription = \"0123456789012345678901234567890123456789012345678\"": "description has 49 characters, want at most 48",
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), args), want)
	}
}

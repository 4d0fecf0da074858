package winuser

import (
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/secret"
	"kinit/test/winsim/winhost"
)

func TestSuite(t *testing.T) {
	t.Parallel()
	const args = "password = \"Open-Sesame-1\"\nfull_name = \"Op Erator\"\ndescription = \"for a test\"\n" +
		"groups = [\"S-1-5-32-544\"]\npassword_never_expires = true\nmay_change_password = false\nenabled = true"
	moduletest.Run(t, moduletest.Case{
		New:     func() module.Task { return decode(t, args) },
		Absent:  func() module.Task { return decode(t, "state = \"absent\"") },
		Host:    winhost.New(t, winhost.Options{Language: "de-DE"}),
		Secrets: []secret.Value{"Open-Sesame-1"},
	})
}

func TestPasswordIsSetWhereItDoesNotFit(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	for _, c := range []struct{ args, want string }{
		{`password = "Open-Sesame-1"`, "create user operator"},
		{`password = "Open-Sesame-1"`, ""},
		{`password = "Open-Sesame-2"`, "change user operator: password"},
		{`enabled = false`, "change user operator: enabled"},
		{`password = "Open-Sesame-3"`, ""}, // the account is disabled
		{"password = \"Open-Sesame-3\"\nenabled = true", "change user operator: password, enabled"},
		{"password = \"Open-Sesame-3\"\nenabled = true", ""},
	} {
		if got := moduletest.Planned(t.Context(), decode(t, c.args), h); got != c.want {
			t.Errorf("%q: %q, want %q", c.args, got, c.want)
		}
		if got := moduletest.Apply(t, decode(t, c.args), h); got != "" {
			t.Errorf("%q: %s", c.args, got)
		}
	}
}

func TestGroupWithAnAccountThatIsGoneKeepsItsOtherMembers(t *testing.T) {
	t.Parallel()
	h := winhost.New(t, winhost.Options{})
	if err := h.Accounts.AddMember("S-1-5-32-544", "S-1-5-21-1-2-3-1234"); err != nil {
		t.Fatal(err)
	}
	const args = "password = \"Open-Sesame-1\"\ngroups = [\"S-1-5-32-544\"]"
	if got := moduletest.Apply(t, decode(t, args), h); got != "" {
		t.Error(got)
	}
	if got := moduletest.Planned(t.Context(), decode(t, args), h); got != "" {
		t.Errorf("the second run: %s, want no change", got)
	}
}

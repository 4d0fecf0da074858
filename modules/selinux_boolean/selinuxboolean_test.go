package selinuxboolean

import (
	"strings"
	"testing"

	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/semanage/semanagetest"
)

func task(t *testing.T, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), args).(*Task)
}

const name = "name = \"httpd_can_network_connect\"\n"

func TestContract(t *testing.T) {
	t.Parallel()
	p := &semanagetest.Policy{Booleans: map[string]string{"httpd_can_network_connect": "off", "httpd_can_network_connect_db": "on"}}
	h := semanagetest.Host(t, "demo", p)
	moduletest.Run(t, moduletest.Case{
		Host:   h,
		New:    func() module.Task { return task(t, name) },
		Absent: func() module.Task { return task(t, name+`state = "absent"`) },
	})
	moduletest.Marks(t, h)
	moduletest.Same(t, "values", p.Booleans, map[string]string{"httpd_can_network_connect": "off", "httpd_can_network_connect_db": "on"})
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ listed, args, want string }{
		{"(off  ,  off)", "", "turn httpd_can_network_connect on"},
		{"(on   ,  off)", "", "keep httpd_can_network_connect on after a boot"},
		{"(on   ,   on)", "", ""},
		{"(off  ,   on)", "", "turn httpd_can_network_connect on"},
		{"(on   ,   on)", "value = false", "turn httpd_can_network_connect off"},
	} {
		h := moduletest.NewFakeHost(t, "")
		h.On("semanage", "boolean", "--list", "--noheading").Out("httpd_can_network_connect_db   (off  ,  off)  Allow httpd to can network connect db\n" +
			"httpd_can_network_connect      " + c.listed + "  Allow httpd to can network connect\n")
		moduletest.Same(t, c.listed+c.args, moduletest.Planned(t.Context(), task(t, name+c.args), h), c.want)
	}
}

func TestBooleanThatThePolicyDoesNotHave(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("semanage", "boolean", "--list", "--noheading").Out("allow_cvs_read_shadow          (off  ,  off)  Allow allow to cvs read shadow\n")
	moduletest.Same(t, "error", moduletest.Planned(t.Context(), task(t, name), h),
		`name: the policy has no boolean "httpd_can_network_connect": "semanage boolean -l" lists those it has`)
}

func TestMissingProgramIsNamedWithItsPackage(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("semanage", "boolean", "--list", "--noheading").Fail(127, "not found")
	got := moduletest.Planned(t.Context(), task(t, name), h)
	if !strings.HasPrefix(got, "semanage is not installed, it is in the package policycoreutils-python-utils: ") {
		t.Error(got)
	}
}

func TestOutputIsTheValueOfNow(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("semanage", "boolean", "--list", "--noheading").Out("httpd_can_network_connect (on , off) Allow\n")
	moduletest.WantOutputs(t, task(t, name), h, map[string]cty.Value{"value": cty.True})
}

func TestValidate(t *testing.T) {
	t.Parallel()
	moduletest.Refused(t, task(t, `name = "a b"`), `name is "a b", want a boolean such as "httpd_can_network_connect"`)
}

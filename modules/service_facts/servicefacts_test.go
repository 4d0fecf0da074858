package servicefacts

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// machine is a fake host that says what systemd 252 of Debian 12 does. No systemd runs where
// the tests run.
func machine(t *testing.T) *moduletest.FakeHost {
	h := moduletest.NewFakeHost(t, "")
	h.On("systemctl", "list-unit-files", "--type=service", "--plain", "--no-legend", "--no-pager", "--full").Out(`cron.service                  enabled         enabled
getty@.service                enabled         enabled
rsync.service                 disabled        enabled
systemd-udevd.service         static          -
`)
	h.On("systemctl", "list-units", "--all", "--type=service", "--plain", "--no-legend", "--no-pager", "--full").Out(`cron.service           loaded    active   running Regular background program processing daemon
getty@tty1.service     loaded    active   running Getty on tty1
broken.service         loaded    failed   failed  A service that failed
auditd.service         not-found inactive dead    auditd.service
systemd-udevd.service  loaded    active   running Rule-based Manager for Device Events and Files
`)
	return h
}

func TestSuite(t *testing.T) {
	t.Parallel()
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return &Task{} }, Host: machine(t), NoSteps: true})
}

func TestServices(t *testing.T) {
	t.Parallel()
	out, err := (&Task{}).Outputs(t.Context(), machine(t))
	want := map[string]Service{
		"cron.service":          {Active: true, State: "active", Enabled: true, Status: "enabled"},
		"getty@.service":        {State: "inactive", Enabled: true, Status: "enabled"},
		"getty@tty1.service":    {Active: true, State: "active"},
		"rsync.service":         {State: "inactive", Status: "disabled"},
		"broken.service":        {State: "failed"},
		"systemd-udevd.service": {Active: true, State: "active", Status: "static"},
	}
	if diff := cmp.Diff(want, out.Services); diff != "" || err != nil {
		t.Errorf("services (-want +got), %v:\n%s", err, diff)
	}
	value := moduletest.Outputs(t, &Task{}, machine(t))["services"].AsValueMap()["cron.service"]
	if !value.RawEquals(cty.ObjectVal(map[string]cty.Value{"active": cty.True, "state": cty.StringVal("active"), "enabled": cty.True, "status": cty.StringVal("enabled")})) {
		t.Errorf("as a value %#v", value)
	}
}

func TestHostWithoutSystemd(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("systemctl", "list-unit-files", "--type=service", "--plain", "--no-legend", "--no-pager", "--full").
		Fail(1, "System has not been booted with systemd as init system (PID 1). Can't operate.")
	_, err := (&Task{}).Outputs(t.Context(), h)
	want := "ask systemd for its services: command ended with code 1: System has not been booted with systemd as init system (PID 1). Can't operate.\n" +
		"$ systemctl list-unit-files '--type=service' --plain --no-legend --no-pager --full"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
}

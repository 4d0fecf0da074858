package ovnsync

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/engine/pace"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/ovntest"
	"kinit/modules/internal/ovn/sb"
)

func sync(set func(*Task)) *Task {
	return moduletest.Make(Kind(), func(t *Task) {
		t.Chassis = []string{"c-1", "c-2"}
	}, set)
}

func TestLagsGiveEvidence(t *testing.T) {
	t.Parallel()
	now := time.UnixMilli(100_000)
	up, down := true, false
	north := nb.Rows{SwitchPorts: []nb.SwitchPort{{Name: "p-up", Up: &up}, {Name: "p-down", Up: &down}, {Name: "p-new"}}}
	south := sb.Rows{
		Globals: []sb.Global{{NbCfg: 11}},
		Chassis: []sb.Chassis{{Name: "c-1", Hostname: "nyctea"}, {Name: "c-3", Hostname: "c-3"}, {Name: "c-4"}, {Name: "c-5"}},
		ChassisPrivate: []sb.ChassisPrivate{
			{Name: "c-1", NbCfg: 10, NbCfgTimestamp: 65_000}, {Name: "c-3", NbCfg: 12}, {Name: "c-4", NbCfg: 11},
		},
	}
	task := &Task{Chassis: []string{"c-1", "c-2", "c-3", "c-4", "c-5"}, Ports: []string{"p-up", "p-down", "p-new", "p-none"}}
	want := []string{
		"the southbound database has change 11 of 12; is ovn-northd running?",
		"chassis c-1 (nyctea) has change 10 of 12 since 35s",
		"chassis c-2 has not registered (c-1 (nyctea), c-3, c-4, c-5 did); is ovn-controller running there, and can it reach the southbound database? See /var/log/ovn/ovn-controller.log",
		"chassis c-4 has change 11 of 12",
		"chassis c-5 has not said which change it has",
		"port p-down is not up; no chassis has an interface with this iface-id",
		"port p-new is not up; no chassis has an interface with this iface-id",
		"port p-none does not exist",
	}
	if got := task.lags(north, south, 12, now); !slices.Equal(got, want) {
		t.Errorf("lags\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if got := (&Task{Chassis: []string{"c-9"}}).lags(nb.Rows{}, sb.Rows{}, 0, now); !strings.Contains(got[0], "has not registered (none has)") {
		t.Errorf("lags %q", got)
	}
}

// register does what ovn-controller does in the southbound database.
func register(s *ovntest.Servers, name, ip string) {
	s.SB("chassis-add", name, "geneve", ip, "--", "--id=@p", "create", "Chassis_Private", "name="+name)
}

func catchUp(s *ovntest.Servers, name, change string) {
	s.SB("set", "SB_Global", ".", "nb_cfg="+change, "--", "set", "Chassis_Private", name, "nb_cfg="+change)
}

func TestSyncWaitsUntilEveryChassisHasTheChange(t *testing.T) {
	t.Parallel()
	s := ovntest.Start(t, ovn.Northbound(), ovn.Southbound())
	register(s, "c-1", "192.0.2.1")
	s.NB("set", "NB_Global", ".", "nb_cfg=3")
	h := s.Host("c1")
	steps := moduletest.Steps(t, sync(nil), h)
	if len(steps) != 1 {
		t.Fatalf("steps %q, want one", steps)
	}
	done := make(chan error)
	go func() { done <- steps[0].Do(t.Context(), h) }()
	s.Until("the task says what it waits for", func() bool { return len(h.Reports()) > 0 })
	register(s, "c-2", "192.0.2.2")
	catchUp(s, "c-1", "3")
	select {
	case err := <-done:
		t.Fatalf("done before the second chassis was: %v", err)
	default:
	}
	catchUp(s, "c-2", "3")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if left := moduletest.Texts(t, sync(nil), h); len(left) > 0 {
		t.Errorf("planned again: %q", left)
	}
	if got := h.Reports()[0].Text; !strings.HasPrefix(got, "waiting: the southbound database has change 0 of 3") {
		t.Errorf("progress %q", got)
	}
}

func TestSyncTellsWhoLagsWhenTimeIsUp(t *testing.T) {
	t.Parallel()
	s := ovntest.Start(t, ovn.Northbound(), ovn.Southbound())
	register(s, "c-1", "192.0.2.1")
	h := s.Host("c1")
	err := moduletest.Steps(t, sync(func(y *Task) { y.WaitFor = "30ms" }), h)[0].Do(t.Context(), h)
	if !errors.Is(err, pace.ErrPassed) || !strings.HasPrefix(err.Error(), "after 30ms: the time is over\nchassis c-2 has not registered (c-1 did)") {
		t.Errorf("do: %v, want the chassis named", err)
	}
}

func TestSyncHoldsToTheContract(t *testing.T) {
	t.Parallel()
	s := ovntest.Start(t, ovn.Northbound(), ovn.Southbound())
	for name, ip := range map[string]string{"c-1": "192.0.2.1", "c-2": "192.0.2.2"} {
		register(s, name, ip)
	}
	moduletest.Run(t, moduletest.Case{New: func() module.Task { return sync(nil) }, Host: s.Host(""), NoSteps: true, Snapshot: func() string {
		return s.Dump(ovn.Northbound()) + s.Dump(ovn.Southbound())
	}})
}

func TestValidateNamesTheArgument(t *testing.T) {
	t.Parallel()
	for want, set := range map[string]func(*Task){
		"chassis and ports are empty, want the ids of the chassis to wait for":                                           func(y *Task) { y.Chassis = nil },
		`chassis: "a" is empty or there twice; two hosts may have the same system-id in /etc/openvswitch/system-id.conf`: func(y *Task) { y.Chassis = []string{"a", "a"} },
		`wait is "1", want a duration such as "60s"`:                                                                     func(y *Task) { y.WaitFor = "1" },
	} {
		moduletest.Refused(t, sync(set), want)
	}
}

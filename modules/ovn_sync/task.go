// Package ovnsync waits until the hypervisors have the changes of OVN's northbound
// database: module ovn_sync.
package ovnsync

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/engine/event"
	"kinit/engine/lists"
	"kinit/engine/module"
	"kinit/engine/pace"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
)

func Kind() module.Kind {
	return module.Of[Task](module.Kind{Name: "ovn_sync"})
}

// Task waits until chassis have registered and have the last change of OVN's northbound
// database. It runs on the host of ovn-central.
//
// Errors:
//   - a chassis has not registered, or lags behind, after the time; the error names each
//   - a port is not up after the time
type Task struct {
	// Chassis are the ids of the chassis to wait for, as ovn_chassis returns them.
	Chassis []string `hcl:"chassis,optional"`
	// Ports are the names of logical switch ports that a chassis must have brought up.
	Ports []string `hcl:"ports,optional"`
	// WaitFor is the longest wait, such as "60s".
	WaitFor module.Duration `hcl:"wait,optional" default:"60s" like:"60s"`
}

func (t *Task) Validate() error {
	if len(t.Chassis)+len(t.Ports) == 0 {
		return errors.New("chassis and ports are empty, want the ids of the chassis to wait for")
	}
	return ovn.CheckChassis("chassis", t.Chassis)
}

// Plan looks for chassis that lag behind.
func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	north, err := ovn.Read[nb.Rows](ctx, h, ovn.Northbound())
	if err != nil {
		return nil, err
	}
	south, err := ovn.Read[sb.Rows](ctx, h, ovn.Southbound())
	if err != nil {
		return nil, err
	}
	lags := t.lags(north, south, north.Global().NbCfg, time.Now())
	if len(lags) == 0 {
		return nil, nil
	}
	return []module.Step{module.NewWait(ovn.Lines("wait for the hypervisors", lags), t.wait)}, nil
}

// wait returns when no chassis lags behind the change that was the last one when it
// began.
func (t *Task) wait(ctx context.Context, h module.Host) error {
	north, err := ovn.Open(ctx, h, ovn.Northbound())
	if err != nil {
		return err
	}
	defer north.Close()
	south, err := ovn.Open(ctx, h, ovn.Southbound())
	if err != nil {
		return err
	}
	defer south.Close()
	var northRows nb.Rows
	var southRows sb.Rows
	if err := north.Read(ctx, &northRows); err != nil {
		return err
	}
	limited, within := module.Within(ctx, h, t.WaitFor.Time())
	defer within.End()
	change, start := northRows.Global().NbCfg, time.Now()
	var lags []string
	err = ovn.WaitBoth(limited, north, south, func() (bool, error) {
		// Reading is local; only waiting ends with the limit, so that the last state is
		// reported.
		if err := cmp.Or(north.Read(ctx, &northRows), south.Read(ctx, &southRows)); err != nil {
			return false, err
		}
		lags = t.lags(northRows, southRows, change, time.Now())
		if len(lags) > 0 {
			h.Report(event.Progress{Text: "waiting: " + lags[0]})
		}
		return len(lags) == 0, nil
	})
	if err == nil || len(lags) == 0 || ctx.Err() != nil && !pace.Passed(ctx) {
		return err
	}
	after := time.Since(start).Round(100 * time.Millisecond).String()
	if pace.Passed(limited) && ctx.Err() == nil {
		after, err = within.String(), pace.ErrPassed
	}
	return fmt.Errorf("after %s: %w\n%s", after, err, strings.Join(lags, "\n"))
}

// lags lists the chassis without change number want, one line each with the evidence for
// a diagnosis; nothing if all have it.
func (t *Task) lags(north nb.Rows, south sb.Rows, want int, now time.Time) []string {
	var lines []string
	if global := south.Global(); len(south.Globals) > 0 && global.NbCfg < want {
		lines = append(lines, fmt.Sprintf("the southbound database has change %d of %d; is ovn-northd running?", global.NbCfg, want))
	}
	for _, id := range t.Chassis {
		if line := chassisLag(south, id, want, now); line != "" {
			lines = append(lines, line)
		}
	}
	for _, name := range t.Ports {
		port, found := north.SwitchPort(name)
		if !found {
			lines = append(lines, fmt.Sprintf("port %s does not exist", name))
		} else if port.Up == nil || !*port.Up {
			lines = append(lines, fmt.Sprintf("port %s is not up; no chassis has an interface with this iface-id", name))
		}
	}
	return lines
}

func chassisLag(south sb.Rows, id string, want int, now time.Time) string {
	registered := slices.IndexFunc(south.Chassis, func(c sb.Chassis) bool { return c.Name == id })
	if registered < 0 {
		return fmt.Sprintf("chassis %s has not registered (%s); is ovn-controller running there, and can it reach the southbound database? See /var/log/ovn/ovn-controller.log",
			id, others(south))
	}
	name := label(south.Chassis[registered])
	for _, private := range south.ChassisPrivate {
		if private.Name != id || private.NbCfg >= want {
			continue
		}
		if private.NbCfgTimestamp == 0 {
			return fmt.Sprintf("chassis %s has change %d of %d", name, private.NbCfg, want)
		}
		age := now.Sub(time.UnixMilli(int64(private.NbCfgTimestamp))).Round(time.Second)
		return fmt.Sprintf("chassis %s has change %d of %d since %s", name, private.NbCfg, want, age)
	}
	if !slices.ContainsFunc(south.ChassisPrivate, func(p sb.ChassisPrivate) bool { return p.Name == id }) {
		return fmt.Sprintf("chassis %s has not said which change it has", name)
	}
	return ""
}

// others lists the other registered chassis.
func others(south sb.Rows) string {
	if len(south.Chassis) == 0 {
		return "none has"
	}
	names := lists.Map(south.Chassis, label)
	slices.Sort(names)
	return strings.Join(names, ", ") + " did"
}

// label is a chassis' id with its host's name.
func label(c sb.Chassis) string {
	if c.Hostname == "" || c.Hostname == c.Name {
		return c.Name
	}
	return c.Name + " (" + c.Hostname + ")"
}

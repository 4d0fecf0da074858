package ovnsync

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"kinit/engine/lists"
	"kinit/modules/internal/ovn/nb"
	"kinit/modules/internal/ovn/sb"
)

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

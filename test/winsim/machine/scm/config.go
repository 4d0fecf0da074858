package scm

import (
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"time"

	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
)

// StartType is when a service starts, numbered as in the registry.
type StartType uint32

// The start types.
const (
	Boot     StartType = 0
	System   StartType = 1
	Auto     StartType = 2
	Manual   StartType = 3
	Disabled StartType = 4
)

// Config is how a service is set up.
type Config struct {
	Name        string
	DisplayName string
	Description string
	Image       string // the command line, with variables such as %SystemRoot%
	Start       StartType
	Delayed     bool // of an automatic service: after the others
	Account     string
	DependsOn   []string
	Environment []string // NAME=value
	Failure     Failure
	Deleted     bool // it goes when it stops
}

// ActionType is what is done when a service fails, numbered as SC_ACTION_TYPE.
type ActionType uint32

// The actions.
const (
	DoNothing ActionType = 0
	Restart   ActionType = 1
)

// Action is one step of what is done when a service fails.
type Action struct {
	Type  ActionType
	Delay time.Duration
}

// Failure is what is done at the first, second … failure of a service. The last action
// is repeated.
type Failure struct {
	Reset   time.Duration // after it without failure the count restarts
	Actions []Action
}

// servicesKey is where the services are in the registry.
const servicesKey = `HKLM\SYSTEM\CurrentControlSet\Services`

func keyOf(name string) string { return servicesKey + `\` + name }

// ownProcess is the type of a service with a process of its own.
const ownProcess = 0x10

// Config returns a service's configuration.
func (m *Manager) Config(name string) (Config, error) {
	key := keyOf(name)
	if name == "" || strings.ContainsAny(name, `\/`) || !m.reg.Has(key) {
		return Config{}, winerr.Of(winerr.ServiceMissing, "open service", name)
	}
	if _, isService := m.reg.Get(key, "ImagePath"); !isService {
		return Config{}, winerr.Of(winerr.ServiceMissing, "open service", name)
	}
	full, err := m.reg.Name(key)
	if err != nil {
		return Config{}, err
	}
	c := Config{
		Name:        full[strings.LastIndexByte(full, '\\')+1:],
		DisplayName: m.reg.Text(key, "DisplayName"), Description: m.reg.Text(key, "Description"),
		Image: m.reg.Text(key, "ImagePath"), Account: m.reg.Text(key, "ObjectName"),
		Start: StartType(m.number(key, "Start")), Delayed: m.number(key, "DelayedAutostart") == 1,
		Deleted: m.number(key, "DeleteFlag") == 1,
	}
	c.DisplayName = cmp.Or(c.DisplayName, c.Name)
	c.DependsOn = m.list(key, "DependOnService")
	c.Environment = m.list(key, "Environment")
	if v, ok := m.reg.Get(key, "FailureActions"); ok {
		c.Failure = decodeFailure(v.Bytes)
	}
	return c, nil
}

func (m *Manager) number(key, name string) uint64 {
	v, _ := m.reg.Get(key, name)
	return v.Number
}

func (m *Manager) list(key, name string) []string {
	v, _ := m.reg.Get(key, name)
	return slices.Clone(v.List)
}

// Names lists the services by name.
func (m *Manager) Names() []string {
	keys, err := m.reg.Keys(servicesKey)
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(keys, func(name string) bool {
		_, isService := m.reg.Get(keyOf(name), "ImagePath")
		return !isService
	})
}

// Create makes a service.
func (m *Manager) Create(c Config) error {
	old, err := m.Config(c.Name)
	switch {
	case err == nil && old.Deleted:
		return winerr.Of(winerr.MarkedForDelete, "create service", c.Name)
	case err == nil:
		return winerr.Of(winerr.ServiceExists, "create service", c.Name)
	case c.Name == "" || strings.ContainsAny(c.Name, `\/`):
		return winerr.Of(winerr.InvalidName, "create service", c.Name)
	}
	c.Account = cmp.Or(c.Account, "LocalSystem")
	return m.write(c)
}

// Change edits a service's configuration. A running one is not restarted.
func (m *Manager) Change(name string, edit func(*Config)) error {
	c, err := m.Config(name)
	if err != nil {
		return err
	}
	if c.Deleted {
		return winerr.Of(winerr.MarkedForDelete, "change service", name)
	}
	kept := c.Name
	edit(&c)
	c.Name = kept
	return m.write(c)
}

// write puts a configuration into the registry.
func (m *Manager) write(c Config) error {
	key := keyOf(c.Name)
	err := m.reg.Set(key,
		registry.Number("Type", ownProcess), registry.Number("Start", uint32(c.Start)), registry.Number("ErrorControl", 1),
		registry.Value{Name: "ImagePath", Kind: registry.ExpandString, Text: c.Image},
		registry.Text("DisplayName", c.DisplayName), registry.Text("ObjectName", c.Account))
	if err != nil {
		return err
	}
	optional := []struct {
		value registry.Value
		there bool
	}{
		{registry.Text("Description", c.Description), c.Description != ""},
		{registry.Number("DelayedAutostart", 1), c.Delayed},
		{registry.Number("DeleteFlag", 1), c.Deleted},
		{registry.Value{Name: "DependOnService", Kind: registry.MultiString, List: c.DependsOn}, len(c.DependsOn) > 0},
		{registry.Value{Name: "Environment", Kind: registry.MultiString, List: c.Environment}, len(c.Environment) > 0},
		{registry.Value{Name: "FailureActions", Kind: registry.Binary, Bytes: encodeFailure(c.Failure)}, len(c.Failure.Actions) > 0},
	}
	for _, o := range optional {
		if err := m.put(key, o.value, o.there); err != nil {
			return err
		}
	}
	return nil
}

// put sets a value, or removes it where it is not to be there.
func (m *Manager) put(key string, v registry.Value, there bool) error {
	if there {
		return m.reg.Set(key, v)
	}
	if _, old := m.reg.Get(key, v.Name); old {
		return m.reg.DeleteValue(key, v.Name)
	}
	return nil
}

// Delete removes a service, a running one when it stops.
func (m *Manager) Delete(name string) error {
	c, err := m.Config(name)
	if err != nil {
		return err
	}
	if c.Deleted {
		return winerr.Of(winerr.MarkedForDelete, "delete service", name)
	}
	m.mu.Lock()
	running := m.running(c.Name)
	m.mu.Unlock()
	if running {
		return m.reg.Set(keyOf(name), registry.Number("DeleteFlag", 1))
	}
	return m.reg.Delete(keyOf(name), true)
}

// failureHeader is the length of SERVICE_FAILURE_ACTIONS as it is in the registry:
// the reset period, two offsets, the number of actions, another offset.
const failureHeader = 20

func encodeFailure(f Failure) []byte {
	b := make([]byte, failureHeader)
	binary.LittleEndian.PutUint32(b, uint32(f.Reset/time.Second))
	binary.LittleEndian.PutUint32(b[12:], uint32(len(f.Actions)))
	binary.LittleEndian.PutUint32(b[16:], failureHeader)
	for _, a := range f.Actions {
		b = binary.LittleEndian.AppendUint32(b, uint32(a.Type))
		b = binary.LittleEndian.AppendUint32(b, uint32(a.Delay/time.Millisecond))
	}
	return b
}

func decodeFailure(b []byte) Failure {
	if len(b) < failureHeader {
		return Failure{}
	}
	f := Failure{Reset: time.Duration(binary.LittleEndian.Uint32(b)) * time.Second}
	count := binary.LittleEndian.Uint32(b[12:])
	for rest := b[failureHeader:]; len(rest) >= 8 && count > 0; rest, count = rest[8:], count-1 {
		f.Actions = append(f.Actions, Action{
			Type:  ActionType(binary.LittleEndian.Uint32(rest)),
			Delay: time.Duration(binary.LittleEndian.Uint32(rest[4:])) * time.Millisecond,
		})
	}
	return f
}

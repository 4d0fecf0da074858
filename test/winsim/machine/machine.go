// Package machine is a model of a Windows Server node: its disk, registry, accounts,
// services, features, firewall, scheduled tasks, networks, processes, and its reboots.
//
// The model is what scripts and programs act on; what they are called and what they
// print is elsewhere (packages cmdlet and program). All of it is kept in a folder, so
// that the machine survives reboots and restarts of the process that simulates it.
// What the model is asked for and does not know is told by Unknown: the simulator
// never pretends.
package machine

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"kinit/test/winsim/machine/account"
	"kinit/test/winsim/machine/feature"
	"kinit/test/winsim/machine/firewall"
	"kinit/test/winsim/machine/network"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/store"
)

// Options are what a machine is made of. Folder and Release are needed.
type Options struct {
	Folder   string  // where all of the machine is kept
	Release  Release // of a fresh machine
	Language string  // en-US, the default, or de-DE
	Name     string  // the computer name of a fresh machine, WIN-KINITSIM by default

	// Programs are what executable files do, by the names in their first lines.
	Programs map[string]Program
	// Adapters are the network adapters of a fresh machine: one by default.
	Adapters []network.Adapter
	// BootTime is how long a reboot takes: the time in which nothing answers.
	BootTime time.Duration
	// DropTime is how long connections are cut when the first external network of the
	// Host Network Service is made.
	DropTime time.Duration
	// Skew is what the machine's clock is ahead of the real one.
	Skew time.Duration
	// NoDefender leaves Microsoft Defender out.
	NoDefender bool
	// Log is told what happens, a line each: what the serial console shows.
	Log func(line string)
}

// Observer is told when the machine becomes deaf and when it hears again. Its methods
// are called in order, and the machine waits for them. They must not wait for commands
// that run: one of them may be what cuts the network.
type Observer interface {
	// PowerOff says that the machine goes down: connections and commands end.
	PowerOff()
	// PowerOn says that it is up.
	PowerOn()
	// NetworkDown says that the network is gone, while commands run on.
	NetworkDown()
	// NetworkUp says that it is back.
	NetworkUp()
}

// Machine is a simulated Windows Server node. Its methods are safe for concurrent use.
type Machine struct {
	Files    *ntfs.FS
	Registry *registry.Registry
	Accounts *account.Book
	Services *scm.Manager
	Features *feature.Set
	Firewall *firewall.Wall
	Network  *network.Stack

	options  Options
	store    store.File
	observer Observer

	mu       sync.Mutex
	state    state
	unknown  []string
	power    chan *powerRequest
	asked    *powerRequest      // that is not carried out yet
	pending  context.CancelFunc // of a shutdown that was announced
	boot     *boot
	table    processTable
	workers  sync.WaitGroup
	powering sync.WaitGroup
	cuts     int // how many reasons there are for the network to be cut
	tasks    taskList
	sockets  sockets
	bootSkew time.Duration // of the clock at the last boot
	services *Environment  // what services start with: that of the boot
}

// state is what the machine itself keeps.
type state struct {
	Release   Release       `json:"release"`
	Language  string        `json:"language"`
	Installed time.Time     `json:"installed"`
	LastBoot  time.Time     `json:"last_boot"`
	Boots     int           `json:"boots"`
	Skew      time.Duration `json:"skew"`
	Defender  Exclusions    `json:"defender"`
	Tasks     []Task        `json:"tasks,omitempty"`
	Activated bool          `json:"activated,omitempty"`

	Certificates []StoredCertificate `json:"certificates,omitempty"`
}

// New opens the machine in the folder, or installs a fresh one there. It is off.
func New(o Options) (*Machine, error) {
	o = o.defaults()
	if err := os.MkdirAll(o.Folder, 0o755); err != nil {
		return nil, err
	}
	m := &Machine{options: o, store: store.In(o.Folder, "machine"), power: make(chan *powerRequest, 1)}
	m.table.processes = map[int]*Process{}
	found, err := m.store.Load(&m.state)
	if err != nil {
		return nil, err
	}
	if !found {
		m.state = state{Release: o.Release, Language: o.Language, Skew: o.Skew}
		m.state.Installed = m.Now()
	}
	if err := m.open(); err != nil {
		return nil, err
	}
	if found {
		return m, nil
	}
	err = m.Files.Batch(func() error { return m.Registry.Batch(m.install) })
	if err != nil {
		return nil, fmt.Errorf("install the machine in %s: %w", o.Folder, err)
	}
	return m, m.save()
}

func (o Options) defaults() Options {
	o.Language = cmp.Or(o.Language, "en-US")
	o.Name = cmp.Or(o.Name, "WIN-KINITSIM")
	if o.Adapters == nil {
		o.Adapters = []network.Adapter{defaultAdapter()}
	}
	if o.Log == nil {
		o.Log = func(string) {}
	}
	return o
}

// open opens the parts, each with a file of its own.
func (m *Machine) open() error {
	folder := m.options.Folder
	var err error
	if m.Files, err = ntfs.Open(filepath.Join(folder, "c"), store.In(folder, "files"), m.Now); err != nil {
		return err
	}
	if m.Registry, err = registry.Open(store.In(folder, "registry")); err != nil {
		return err
	}
	if m.Accounts, err = account.Open(store.In(folder, "accounts"), m.state.Language, m.Now); err != nil {
		return err
	}
	if m.Features, err = feature.Open(store.In(folder, "features")); err != nil {
		return err
	}
	if m.Firewall, err = firewall.Open(store.In(folder, "firewall"), builtinRules(m.state.Language)); err != nil {
		return err
	}
	if m.Network, err = network.Open(store.In(folder, "network"), m.options.Adapters, m.dropConnections); err != nil {
		return err
	}
	m.Services = scm.New(m.Registry, m.launchService)
	return nil
}

// save keeps the machine's own state; the lock is not held.
func (m *Machine) save() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.store.Save(&m.state)
}

// change edits the machine's own state and keeps it.
func (m *Machine) change(edit func(*state)) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	edit(&m.state)
	return m.store.Save(&m.state)
}

// Release is what is installed.
func (m *Machine) Release() Release { return m.state.Release }

// Language is the language of the machine's texts, such as en-US.
func (m *Machine) Language() string { return m.state.Language }

// Now is the machine's clock.
func (m *Machine) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return time.Now().Add(m.state.Skew)
}

// SetSkew sets what the clock is ahead of the real one.
func (m *Machine) SetSkew(skew time.Duration) error {
	return m.change(func(s *state) { s.Skew = skew })
}

// LastBoot is when the machine last came up, by its clock then.
func (m *Machine) LastBoot() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.LastBoot
}

// UpSince is when the machine came up, by what its clock shows now: it moves when the
// clock is set, while LastBoot stays.
func (m *Machine) UpSince() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.LastBoot.Add(m.state.Skew - m.bootSkew)
}

// Boots is how often the machine has come up.
func (m *Machine) Boots() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.state.Boots
}

// Installed is when the machine was installed.
func (m *Machine) Installed() time.Time { return m.state.Installed }

// Log writes a line on the machine's console.
func (m *Machine) Log(format string, args ...any) {
	m.options.Log(fmt.Sprintf(format, args...))
}

// Unknown notes that the machine was asked for something that it does not know. Such a
// thing fails the test that led to it.
func (m *Machine) Unknown(format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	m.mu.Lock()
	m.unknown = append(m.unknown, text)
	m.mu.Unlock()
	m.options.Log("simulator: unknown: " + text)
}

// Unknowns lists what the machine was asked for and does not know.
func (m *Machine) Unknowns() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]string(nil), m.unknown...)
}

// Observe sets who is told when the machine becomes deaf. It is called before PowerOn.
func (m *Machine) Observe(o Observer) { m.observer = o }

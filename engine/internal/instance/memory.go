package instance

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/atomicfile"
)

// Memory is a folder of a controller with the instances that it has made or adopted, a file
// for each. With an empty Folder it has none and keeps none.
type Memory struct {
	Folder  string
	Earlier []string // folders of earlier memories, which are only read
	Adopted string   // of a job: the folder with the instances that commands outside it have made or adopted, which are not the job's
}

// Known is one instance that the controller works on.
type Known struct {
	Instance
	Owner string   `json:"owner"`
	Hosts []string `json:"hosts,omitempty"` // on which it may be, by their names in inventories
}

// anID matches valid ids; others name no file.
var anID = regexp.MustCompile(`^[A-Za-z0-9]+$`)

// Knows reports whether an instance is one of the controller's.
func (m Memory) Knows(id string) (bool, error) {
	if adopted, err := m.WasAdopted(id); adopted || err != nil {
		return false, err
	}
	_, there, err := m.read(id)
	return there, err
}

// Owns reports whether the run that has the memory may use what an instance has: it is one of the controller's, and no
// command has adopted it from the job.
func (m Memory) Owns(i Instance) (bool, error) {
	if m.Adopted != "" && i.Adopted != "" {
		return false, nil
	}
	return m.Knows(i.ID)
}

// WasAdopted reports whether an instance that a run of the job has made is recorded in the folder Adopted too.
func (m Memory) WasAdopted(id string) (bool, error) {
	if _, own, err := m.read(id); m.Adopted == "" || !own || err != nil {
		return false, err
	}
	_, there, err := read(m.Adopted, id)
	return there, err
}

func (m Memory) read(id string) (Known, bool, error) {
	for _, folder := range m.folders() {
		if k, there, err := read(folder, id); there || err != nil {
			return k, there, err
		}
	}
	return Known{}, false, nil
}

// folders returns the folders that are read, the memory's own first.
func (m Memory) folders() []string {
	if m.Folder == "" {
		return nil
	}
	return append([]string{m.Folder}, m.Earlier...)
}

func path(folder, id string) string { return filepath.Join(folder, id+".json") }

func read(folder, id string) (k Known, there bool, err error) {
	if !anID.MatchString(id) {
		return k, false, nil
	}
	text, err := os.ReadFile(path(folder, id))
	if errors.Is(err, fs.ErrNotExist) {
		return k, false, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &k)
	}
	if err != nil {
		return k, false, fmt.Errorf("read what is known of the instance %s: %w", id, err)
	}
	return k, true, nil
}

// Remember keeps an instance as the controller's own, on further hosts too. When it returns, the
// instance is on the disk.
func (m Memory) Remember(k Known) error {
	if m.Folder == "" || !k.There() {
		return nil
	}
	before, there, err := read(m.Folder, k.ID)
	if err != nil {
		return err
	}
	k.Hosts = slices.Compact(slices.Sorted(slices.Values(append(slices.Clone(k.Hosts), before.Hosts...))))
	if there && slices.Equal(k.Hosts, before.Hosts) {
		return nil
	}
	if err := m.write(k); err != nil {
		return fmt.Errorf("remember the instance %s: %w", k.ID, err)
	}
	return nil
}

func (m Memory) write(k Known) error {
	text, err := json.MarshalIndent(k, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(m.Folder, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(path(m.Folder, k.ID), 0o600, atomicfile.Synced(append(text, '\n')))
}

// Beside returns the owner's instance that was made last of those that may be on hosts
// beside the ones given, which were asked and have none.
func (m Memory) Beside(owner string, asked []string) (Instance, bool, error) {
	var last Instance
	all, err := m.of(owner)
	for _, k := range all {
		elsewhere := slices.ContainsFunc(k.Hosts, func(h string) bool { return !slices.Contains(asked, h) })
		if elsewhere && k.Made.After(last.Made) {
			last = k.Instance
		}
	}
	return last, last.There(), err
}

// MayBeOn reports whether an instance of the owner may be on a host.
func (m Memory) MayBeOn(owner, host string) (bool, error) {
	all, err := m.of(owner)
	return slices.ContainsFunc(all, func(k Known) bool { return slices.Contains(k.Hosts, host) }), err
}

// On returns the hosts on which instances of the owner may be, and the one of each host that was made last.
func (m Memory) On(owner string) (map[string]Instance, error) {
	all, err := m.of(owner)
	on := map[string]Instance{}
	for _, k := range all {
		for _, host := range k.Hosts {
			if before := on[host]; !before.There() || k.Made.After(before.Made) {
				on[host] = k.Instance
			}
		}
	}
	return on, err
}

// Forget removes hosts from the owner's instances, which are not there any more. The instances stay the controller's own.
// Earlier memories do not change.
func (m Memory) Forget(owner string, hosts []string) error {
	all, err := Memory{Folder: m.Folder}.of(owner)
	for _, k := range all {
		left := slices.DeleteFunc(slices.Clone(k.Hosts), func(h string) bool { return slices.Contains(hosts, h) })
		if len(left) == len(k.Hosts) {
			continue
		}
		k.Hosts = left
		if failed := m.write(k); failed != nil {
			err = errors.Join(err, fmt.Errorf("note where the instance %s is: %w", k.ID, failed))
		}
	}
	return err
}

// of returns the instances of an owner; none with an error.
func (m Memory) of(owner string) (all []Known, err error) {
	for _, folder := range m.folders() {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, entry := range entries {
			id, is := strings.CutSuffix(entry.Name(), ".json")
			if !is || strings.HasPrefix(entry.Name(), ".") {
				continue
			}
			k, there, err := read(folder, id)
			if err != nil {
				return nil, err
			}
			if there && k.Owner == owner {
				all = append(all, k)
			}
		}
	}
	return all, nil
}

// Package registry is the registry of the simulated machine: hives, keys and typed
// values, kept in a file.
//
// Paths are written with backslashes and begin with a hive's short or long name, such
// as HKLM\SOFTWARE\Microsoft. HKCU is what Registry.For says; the SYSTEM hive has only
// one control set, which CurrentControlSet stands for.
package registry

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"kinit/test/winsim/machine/store"
	"kinit/test/winsim/machine/winerr"
)

// Kind is the type of a value, named as Microsoft.Win32.RegistryValueKind.
type Kind string

// The kinds.
const (
	None         Kind = "None"
	String       Kind = "String"
	ExpandString Kind = "ExpandString"
	Binary       Kind = "Binary"
	DWord        Kind = "DWord"
	MultiString  Kind = "MultiString"
	QWord        Kind = "QWord"
)

// Value is one value of a key. Which field holds it is the kind's: Text for String and
// ExpandString, Number for DWord and QWord, List for MultiString, Bytes for the rest.
type Value struct {
	Name   string   `json:"name"` // empty for the key's default value
	Kind   Kind     `json:"kind"`
	Text   string   `json:"text,omitempty"`
	Number uint64   `json:"number,omitempty"`
	List   []string `json:"list,omitempty"`
	Bytes  []byte   `json:"bytes,omitempty"`
}

// Text returns a value of kind String.
func Text(name, text string) Value { return Value{Name: name, Kind: String, Text: text} }

// Number returns a value of kind DWord.
func Number(name string, number uint32) Value {
	return Value{Name: name, Kind: DWord, Number: uint64(number)}
}

// key is a key with what is below it.
type key struct {
	Name     string  `json:"name"`
	Values   []Value `json:"values,omitempty"`
	Keys     []*key  `json:"keys,omitempty"`
	Volatile bool    `json:"volatile,omitempty"` // gone after a reboot
}

// Registry is the registry of one machine. Its methods are safe for concurrent use.
type Registry struct {
	store store.File

	mu      sync.Mutex
	root    key // its keys are the hives, by their long names
	batched bool
}

// Batch runs a function and keeps all its changes in one go.
func (r *Registry) Batch(change func() error) error {
	r.mu.Lock()
	r.batched = true
	r.mu.Unlock()
	err := change()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.batched = false
	return errors.Join(err, r.save())
}

// save keeps the registry; the lock is held.
func (r *Registry) save() error {
	if r.batched {
		return nil
	}
	return r.store.Save(&r.root)
}

// Open returns the registry that is kept in the file.
func Open(file store.File) (*Registry, error) {
	r := &Registry{store: file}
	_, err := file.Load(&r.root)
	for _, hive := range []string{"HKEY_LOCAL_MACHINE", "HKEY_USERS"} {
		r.root.make(hive)
	}
	return r, err
}

// parts returns the names along a path, hive first.
func parts(path string) ([]string, error) {
	names := strings.FieldsFunc(strings.ReplaceAll(path, "/", `\`), func(r rune) bool { return r == '\\' })
	if len(names) == 0 {
		return nil, winerr.Of(winerr.InvalidParameter, "open key", path)
	}
	rest := names[1:]
	var hive []string
	switch strings.ToUpper(strings.TrimSuffix(names[0], ":")) {
	case "HKLM", "HKEY_LOCAL_MACHINE":
		hive = []string{"HKEY_LOCAL_MACHINE"}
	case "HKU", "HKEY_USERS":
		hive = []string{"HKEY_USERS"}
	case "HKCR", "HKEY_CLASSES_ROOT":
		hive = []string{"HKEY_LOCAL_MACHINE", "SOFTWARE", "Classes"}
	default:
		return nil, winerr.Of(winerr.InvalidParameter, "open key", path)
	}
	all := slices.Concat(hive, rest)
	if len(all) > 2 && strings.EqualFold(all[1], "SYSTEM") && strings.EqualFold(all[2], "ControlSet001") {
		all[2] = "CurrentControlSet"
	}
	return all, nil
}

// For writes the hive HKCU of a path as the hive of a user.
func For(sid, path string) string {
	for _, current := range []string{"HKCU", "HKEY_CURRENT_USER"} {
		hive, rest, _ := strings.Cut(strings.ReplaceAll(path, "/", `\`), `\`)
		if strings.EqualFold(strings.TrimSuffix(hive, ":"), current) {
			return strings.TrimSuffix(`HKU\`+sid+`\`+rest, `\`)
		}
	}
	return path
}

func (k *key) child(name string) *key {
	for _, below := range k.Keys {
		if strings.EqualFold(below.Name, name) {
			return below
		}
	}
	return nil
}

// make returns the key of that name, which it makes where there is none.
func (k *key) make(name string) *key {
	if below := k.child(name); below != nil {
		return below
	}
	below := &key{Name: name, Volatile: k.Volatile}
	k.Keys = append(k.Keys, below)
	return below
}

func (k *key) value(name string) int {
	return slices.IndexFunc(k.Values, func(v Value) bool { return strings.EqualFold(v.Name, name) })
}

// find returns a key or nil; the lock is held.
func (r *Registry) find(path string) (*key, error) {
	names, err := parts(path)
	if err != nil {
		return nil, err
	}
	at := &r.root
	for _, name := range names {
		if at = at.child(name); at == nil {
			return nil, nil
		}
	}
	return at, nil
}

// existing is find for what must be there.
func (r *Registry) existing(op, path string) (*key, error) {
	at, err := r.find(path)
	if err == nil && at == nil {
		err = winerr.Of(winerr.FileNotFound, op, path)
	}
	return at, err
}

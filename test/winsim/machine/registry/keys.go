package registry

import (
	"errors"
	"slices"
	"strings"

	"kinit/test/winsim/machine/winerr"
)

// Has reports whether there is a key.
func (r *Registry) Has(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.find(path)
	return err == nil && at != nil
}

// Name returns a key's path with the names as they were made, hive in full.
func (r *Registry) Name(path string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	names, err := parts(path)
	if err != nil {
		return "", err
	}
	at := &r.root
	for i, name := range names {
		if at = at.child(name); at == nil {
			return "", winerr.Of(winerr.FileNotFound, "open key", path)
		}
		names[i] = at.Name
	}
	return strings.Join(names, `\`), nil
}

// Make makes a key with those above it. One that is there stays as it is.
func (r *Registry) Make(path string) error {
	return r.edit(path, false, func(*key) {})
}

// MakeVolatile makes a key that is gone after the next reboot.
func (r *Registry) MakeVolatile(path string) error {
	return r.edit(path, true, func(*key) {})
}

// Keys lists the names of the keys below one, in the order of their names.
func (r *Registry) Keys(path string) ([]string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.existing("open key", path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, below := range at.Keys {
		names = append(names, below.Name)
	}
	slices.SortFunc(names, func(a, b string) int { return strings.Compare(strings.ToUpper(a), strings.ToUpper(b)) })
	return names, nil
}

// Delete removes a key with its values, and the keys below it when recurse says so.
func (r *Registry) Delete(path string, recurse bool) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.existing("delete key", path)
	if err != nil {
		return err
	}
	if len(at.Keys) > 0 && !recurse {
		return winerr.Of(winerr.InvalidParameter, "delete key", path)
	}
	above, err := r.find(path[:strings.LastIndexAny(path, `\/`)])
	if err != nil {
		return err
	}
	above.Keys = slices.DeleteFunc(above.Keys, func(other *key) bool { return other == at })
	return r.save()
}

// Values returns a key's values in the order they were made.
func (r *Registry) Values(path string) ([]Value, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.existing("open key", path)
	if err != nil {
		return nil, err
	}
	return slices.Clone(at.Values), nil
}

// Get returns a value and whether there is one.
func (r *Registry) Get(path, name string) (Value, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.find(path)
	if err != nil || at == nil {
		return Value{}, false
	}
	if i := at.value(name); i >= 0 {
		return at.Values[i], true
	}
	return Value{}, false
}

// Text returns the text of a value, empty where there is none.
func (r *Registry) Text(path, name string) string {
	v, _ := r.Get(path, name)
	return v.Text
}

// Set sets a value and makes the key with those above it where it is missing.
func (r *Registry) Set(path string, values ...Value) error {
	return r.edit(path, false, func(at *key) {
		for _, v := range values {
			if i := at.value(v.Name); i >= 0 {
				v.Name = at.Values[i].Name
				at.Values[i] = v
				continue
			}
			at.Values = append(at.Values, v)
		}
	})
}

// DeleteValue removes a value.
func (r *Registry) DeleteValue(path, name string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, err := r.existing("open key", path)
	if err != nil {
		return err
	}
	i := at.value(name)
	if i < 0 {
		return winerr.Of(winerr.FileNotFound, "delete value", path+`\`+name)
	}
	at.Values = slices.Delete(at.Values, i, i+1)
	return r.save()
}

// Reboot removes what is volatile.
func (r *Registry) Reboot() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.root.drop()
	return r.save()
}

func (k *key) drop() {
	k.Keys = slices.DeleteFunc(k.Keys, func(below *key) bool { return below.Volatile })
	for _, below := range k.Keys {
		below.drop()
	}
}

// edit changes a key, which it makes where it is missing.
func (r *Registry) edit(path string, volatile bool, change func(*key)) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	names, err := parts(path)
	if err != nil {
		return err
	}
	at := r.root.child(names[0])
	if at == nil || len(names) == 1 && volatile {
		return errors.New("no such hive: " + path)
	}
	for i, name := range names[1:] {
		below := at.child(name)
		if below == nil {
			below = at.make(name)
			below.Volatile = below.Volatile || volatile && i == len(names)-2
		}
		at = below
	}
	change(at)
	return r.save()
}

package value

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
)

// Hashtable is a dictionary. Keys that are text are the same in any case, unless it is
// CaseSensitive.
//
// A real Hashtable has no order that a script may rely on. This one has one that is
// neither that of insertion nor the alphabet, and the same in each run, so that a script
// that relies on an order is found out.
type Hashtable struct {
	Ordered       bool   // is an OrderedDictionary: keys stay in the order they were added
	CaseSensitive bool   // as a Dictionary[string, …] is
	Type          string // full name where it is neither of the usual two
	keys          []any
	values        map[string]any
	changes       int
}

// NewHashtable is @{}.
func NewHashtable() *Hashtable { return &Hashtable{values: map[string]any{}} }

// NewOrdered is [ordered]@{}.
func NewOrdered() *Hashtable { return &Hashtable{Ordered: true, values: map[string]any{}} }

func (h *Hashtable) typeName() string {
	switch {
	case h.Type != "":
		return h.Type
	case h.Ordered:
		return "System.Collections.Specialized.OrderedDictionary"
	}
	return "System.Collections.Hashtable"
}

func (h *Hashtable) id(key any) string {
	switch k := Base(key).(type) {
	case string:
		if !h.CaseSensitive {
			k = strings.ToLower(k)
		}
		return "s" + k
	default:
		return fmt.Sprintf("%T %v", k, k)
	}
}

// Len is the number of keys.
func (h *Hashtable) Len() int { return len(h.keys) }

// Get is the value of a key.
func (h *Hashtable) Get(key any) (any, bool) {
	v, ok := h.values[h.id(key)]
	return v, ok
}

// Set gives a key a value.
func (h *Hashtable) Set(key, v any) {
	if h.values == nil {
		h.values = map[string]any{}
	}
	h.changes++
	id := h.id(key)
	if _, ok := h.values[id]; !ok {
		h.keys = append(h.keys, Base(key))
	}
	h.values[id] = v
}

// Remove removes a key, if it is there.
func (h *Hashtable) Remove(key any) {
	h.changes++
	id := h.id(key)
	delete(h.values, id)
	h.keys = slices.DeleteFunc(h.keys, func(k any) bool { return h.id(k) == id })
}

// Clear removes all keys.
func (h *Hashtable) Clear() {
	h.changes++
	h.keys, h.values = nil, map[string]any{}
}

// Keys are the keys in the order in which they are enumerated.
func (h *Hashtable) Keys() []any {
	keys := slices.Clone(h.keys)
	if h.Ordered || h.Type != "" {
		return keys
	}
	slices.SortFunc(keys, func(a, b any) int {
		x, y := hash(h.id(a)), hash(h.id(b))
		if x != y {
			return int(x&0x7fffffff) - int(y&0x7fffffff)
		}
		return strings.Compare(h.id(a), h.id(b))
	})
	return keys
}

func hash(text string) uint32 {
	sum := fnv.New32a()
	sum.Write([]byte(text))
	return sum.Sum32()
}

// Values are the values in the order of Keys.
func (h *Hashtable) Values() []any {
	var all []any
	for _, key := range h.Keys() {
		v, _ := h.Get(key)
		all = append(all, v)
	}
	return all
}

// Entries are the pairs of keys and values, as GetEnumerator gives them.
func (h *Hashtable) Entries() []any {
	var all []any
	for _, key := range h.Keys() {
		v, _ := h.Get(key)
		all = append(all, NewObject("System.Collections.DictionaryEntry", P("Name", key), P("Key", key), P("Value", v)))
	}
	return all
}

// Clone is a copy with the same values.
func (h *Hashtable) Clone() *Hashtable {
	c := *h
	c.keys, c.values = slices.Clone(h.keys), maps.Clone(h.values)
	return &c
}

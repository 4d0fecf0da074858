package value

import "cmp"

// Array is a .NET array. Arrays are references: assigning one does not copy it.
type Array struct {
	Items []any
	Elem  string // full name of the type of its elements; empty for System.Object
	// Wrapped says that New-Object made it, which ConvertTo-Json of 5.1 shows as an
	// object with value and Count.
	Wrapped bool
	// Table is the dictionary whose keys, values or entries it has, and Changes how often that had changed then.
	Table   *Hashtable
	Changes int
}

// Changed reports whether a dictionary has changed since these were its keys, values or entries.
func Changed(v any) bool {
	a, ok := Base(v).(*Array)
	return ok && a.Table != nil && a.Table.changes != a.Changes
}

// Of is an array of keys, values or entries of a dictionary.
func (h *Hashtable) Of(items []any) *Array { return &Array{Items: items, Table: h, Changes: h.changes} }

// Bytes is a byte[].
type Bytes struct{ Data []byte }

// List is a list that grows: ArrayList or List[T].
type List struct {
	Items []any
	Type  string // full name, such as System.Collections.ArrayList
	Elem  string // full name of the type of its elements; empty for System.Object
}

// NewArray is an object[] of items.
func NewArray(items ...any) *Array { return &Array{Items: items} }

// NewStrings is a string[].
func NewStrings(items ...string) *Array {
	a := &Array{Elem: "System.String", Items: make([]any, len(items))}
	for i, item := range items {
		a.Items[i] = item
	}
	return a
}

func (a *Array) elem() string { return cmp.Or(a.Elem, "System.Object") }

// Items are the elements of an array or list; false for any other value.
func Items(v any) ([]any, bool) {
	switch v := Base(v).(type) {
	case *Array:
		return v.Items, true
	case *List:
		return v.Items, true
	case *Bytes:
		items := make([]any, len(v.Data))
		for i, b := range v.Data {
			items[i] = b
		}
		return items, true
	case *Object:
		if v != nil && v.Items != nil {
			return v.Items(), true
		}
	}
	return nil, false
}

// Length is the number of elements of an array or list; false for any other value.
func Length(v any) (int, bool) {
	if b, ok := Base(v).(*Bytes); ok {
		return len(b.Data), true
	}
	items, ok := Items(v)
	return len(items), ok
}

// Each is what a value is as items of a pipeline or of @( ): the elements of an array
// or list, nothing for Empty, the value itself otherwise.
func Each(v any) []any {
	if items, ok := Items(v); ok {
		return items
	}
	switch v.(type) {
	case Empty, Void:
		return nil
	}
	return []any{v}
}

// Collect is what a variable gets from the items that a pipeline wrote.
func Collect(items []any) any {
	switch len(items) {
	case 0:
		return Empty{}
	case 1:
		return items[0]
	}
	return &Array{Items: items}
}

// At is an element of an array or list by its index, from the end if it is negative;
// false outside of it.
func At(v any, index int) (any, bool) {
	n, _ := Length(v)
	if index < 0 {
		index += n
	}
	if index < 0 || index >= n {
		return nil, false
	}
	if b, ok := Base(v).(*Bytes); ok {
		return b.Data[index], true
	}
	items, _ := Items(v)
	return items[index], true
}

// SetAt sets an element, converted to the type of the elements.
func SetAt(v any, index int, item any) error {
	n, _ := Length(v)
	if index < 0 {
		index += n
	}
	if index < 0 || index >= n {
		return NewException("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
	}
	switch v := Base(v).(type) {
	case *Bytes:
		b, err := Convert(item, "System.Byte")
		if err != nil {
			return err
		}
		v.Data[index] = b.(uint8)
	case *Array:
		return setItem(v.Items, index, item, v.Elem)
	case *List:
		return setItem(v.Items, index, item, v.Elem)
	}
	return nil
}

func setItem(items []any, index int, item any, elem string) error {
	converted, err := convertElem(item, elem)
	if err != nil {
		return err
	}
	items[index] = converted
	return nil
}

func convertElem(item any, elem string) (any, error) {
	if elem == "" || elem == "System.Object" {
		return item, nil
	}
	return Convert(item, elem)
}

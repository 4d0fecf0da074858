package dotnet

import (
	"cmp"
	"slices"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func collectionTypes() []interp.Type {
	count := func(c call) (any, error) {
		n, _ := value.Length(c.self)
		return int32(n), nil
	}
	length := method("Length", 0, 0, count)
	return []interp.Type{
		{Name: "System.Array", Aliases: []string{"array"}, Statics: arrayStatics(), Methods: arrayMethods(), Properties: methods{
			"Length": length, "Count": length, "LongLength": method("LongLength", 0, 0, func(c call) (any, error) {
				n, _ := value.Length(c.self)
				return int64(n), nil
			}),
			"Rank": method("Rank", 0, 0, func(call) (any, error) { return int32(1), nil }),
		}},
		{
			Name: "System.Collections.ArrayList", Aliases: []string{"collections.arraylist"}, New: static("ArrayList", 0, 1, newArrayList),
			Methods: listMethods(true), Properties: methods{"Count": length},
		},
		{
			Name: "System.Collections.Generic.List", Aliases: []string{"collections.generic.list"}, New: static("List", 1, 2, newList),
			Methods: listMethods(false), Properties: methods{"Count": length},
		},
		{
			Name: "System.Collections.Hashtable", Aliases: []string{"hashtable", "System.Collections.Specialized.OrderedDictionary", "ordered"},
			New: static("Hashtable", 0, 0, func(call) (any, error) { return value.NewHashtable(), nil }), Methods: tableMethods(), Properties: tableProperties(),
		},
		{
			Name: "System.Collections.Generic.Dictionary", New: static("Dictionary", 1, 1, newDictionary),
			Methods: tableMethods(), Properties: tableProperties(),
		},
		{
			Name:    "System.Management.Automation.PSBoundParametersDictionary",
			Methods: tableMethods(), Properties: tableProperties(),
		},
		{Name: "System.Collections.IDictionary", Aliases: []string{"collections.idictionary"}},
		{Name: "System.Collections.IList"}, {Name: "System.Collections.IEnumerable"}, {Name: "System.Collections.ICollection"},
	}
}

func arrayStatics() statics {
	return statics{
		"IndexOf": static("IndexOf", 2, 2, func(c call) (any, error) { return find(value.Each(c.args[0]), c.args[1]), nil }),
		"Reverse": static("Reverse", 1, 1, func(c call) (any, error) {
			switch a := value.Base(c.args[0]).(type) {
			case *value.Array:
				slices.Reverse(a.Items)
			case *value.Bytes:
				slices.Reverse(a.Data)
			default:
				return nil, unknown.New("[Array]::Reverse of a %s", value.TypeName(c.args[0]))
			}
			return value.Void{}, nil
		}),
		"Copy": static("Copy", 3, 5, copyArray),
	}
}

func find(items []any, one any) int32 {
	return int32(slices.IndexFunc(items, func(item any) bool { return value.Equal(item, one, true) }))
}

// copyArray is [Array]::Copy of bytes.
func copyArray(c call) (any, error) {
	args := c.args
	from, ok := value.Base(args[0]).(*value.Bytes)
	fromAt, to, toAt, length := 0, 1, 0, 2
	if len(args) == 5 {
		fromAt, to, toAt, length = c.num(1), 2, c.num(3), 4
	}
	target, okay := value.Base(args[to]).(*value.Bytes)
	if !ok || !okay || len(args) == 4 {
		return nil, unknown.New("[Array]::Copy of these arguments")
	}
	source, err := part(from.Data, fromAt, c.num(length))
	if err != nil {
		return nil, err
	}
	place, err := part(target.Data, toAt, c.num(length))
	if err != nil {
		return nil, err
	}
	copy(place, source)
	return value.Void{}, nil
}

func arrayMethods() methods {
	return methods{
		"Contains": method("Contains", 1, 1, func(c call) (any, error) { return find(value.Each(c.self), c.args[0]) >= 0, nil }),
		"Clone":    method("Clone", 0, 0, cloneArray),
		"GetValue": method("GetValue", 1, 1, func(c call) (any, error) {
			v, ok := value.At(c.self, c.num(0))
			if !ok {
				return nil, value.NewException("System.IndexOutOfRangeException", "Index was outside the bounds of the array.")
			}
			return v, nil
		}),
		"CopyTo": method("CopyTo", 2, 2, func(c call) (any, error) {
			from, ok := c.self.(*value.Bytes)
			to, okay := value.Base(c.args[0]).(*value.Bytes)
			if !ok || !okay {
				return nil, unknown.New("Array.CopyTo of other arrays than byte[]")
			}
			place, err := part(to.Data, c.num(1), len(from.Data))
			if err != nil {
				return nil, err
			}
			copy(place, from.Data)
			return value.Void{}, nil
		}),
	}
}

func cloneArray(c call) (any, error) {
	switch a := c.self.(type) {
	case *value.Bytes:
		return &value.Bytes{Data: slices.Clone(a.Data)}, nil
	case *value.Array:
		return &value.Array{Elem: a.Elem, Items: slices.Clone(a.Items)}, nil
	}
	return nil, unknown.New("Clone of a %s", value.TypeName(c.self))
}

func newArrayList(c call) (any, error) {
	l := &value.List{Type: "System.Collections.ArrayList"}
	if len(c.args) == 1 {
		if _, number := value.Integer(value.Base(c.args[0])); !number {
			l.Items = slices.Clone(value.Each(c.args[0]))
		}
	}
	return l, nil
}

// newList is List[T]; the first argument is its type.
func newList(c call) (any, error) {
	full := c.args[0].(value.Type).Name
	_, elem, _ := strings.Cut(strings.TrimSuffix(full, "]"), "[")
	l := &value.List{Type: full, Elem: elem}
	if len(c.args) == 1 {
		return l, nil
	}
	if _, number := value.Integer(value.Base(c.args[1])); number {
		return l, nil
	}
	items, err := value.Convert(c.args[1], elem+"[]")
	if err != nil {
		return nil, err
	}
	l.Items = slices.Clone(value.Each(items))
	return l, nil
}

func (c call) list() *value.List { return c.self.(*value.List) }

// element is an argument as an element of the list.
func (c call) element(i int) any {
	if elem := c.list().Elem; elem != "" && elem != "System.Object" {
		return c.to(i, elem)
	}
	return c.args[i]
}

// listMethods are those of lists; Add of an ArrayList returns the index.
func listMethods(returnsIndex bool) methods {
	return methods{
		"Add": method("Add", 1, 1, func(c call) (any, error) {
			l, item := c.list(), c.element(0)
			if *c.bad != nil {
				return nil, nil
			}
			l.Items = append(l.Items, item)
			if returnsIndex {
				return int32(len(l.Items) - 1), nil
			}
			return value.Void{}, nil
		}),
		"AddRange": method("AddRange", 1, 1, func(c call) (any, error) {
			l := c.list()
			l.Items = append(l.Items, value.Each(c.args[0])...)
			return value.Void{}, nil
		}),
		"Insert": method("Insert", 2, 2, func(c call) (any, error) {
			l, at := c.list(), c.num(0)
			if at < 0 || at > len(l.Items) {
				return nil, rangeError("Insertion index was out of range. Must be non-negative and less than or equal to size.", "index")
			}
			l.Items = slices.Insert(l.Items, at, c.element(1))
			return value.Void{}, nil
		}),
		"Contains": method("Contains", 1, 1, func(c call) (any, error) { return find(c.list().Items, c.args[0]) >= 0, nil }),
		"IndexOf":  method("IndexOf", 1, 1, func(c call) (any, error) { return find(c.list().Items, c.args[0]), nil }),
		"Remove": method("Remove", 1, 1, func(c call) (any, error) {
			l := c.list()
			at := find(l.Items, c.args[0])
			if at >= 0 {
				l.Items = slices.Delete(l.Items, int(at), int(at)+1)
			}
			if returnsIndex {
				return value.Void{}, nil
			}
			return at >= 0, nil
		}),
		"RemoveAt": method("RemoveAt", 1, 1, func(c call) (any, error) {
			l, at := c.list(), c.num(0)
			if at < 0 || at >= len(l.Items) {
				return nil, rangeError("Index was out of range. Must be non-negative and less than the size of the collection.", "index")
			}
			l.Items = slices.Delete(l.Items, at, at+1)
			return value.Void{}, nil
		}),
		"Clear": method("Clear", 0, 0, func(c call) (any, error) {
			c.list().Items = nil
			return value.Void{}, nil
		}),
		"ToArray": method("ToArray", 0, 0, func(c call) (any, error) {
			return value.Convert(value.NewArray(slices.Clone(c.list().Items)...), cmp.Or(c.list().Elem, "System.Object")+"[]")
		}),
		"Reverse": method("Reverse", 0, 0, func(c call) (any, error) {
			slices.Reverse(c.list().Items)
			return value.Void{}, nil
		}),
	}
}

// newDictionary is Dictionary[K,V]; the first argument is its type.
func newDictionary(c call) (any, error) {
	return &value.Hashtable{Type: c.args[0].(value.Type).Name, CaseSensitive: true}, nil
}

func (c call) table() *value.Hashtable { return c.self.(*value.Hashtable) }

func tableMethods() methods {
	has := func(c call) (any, error) {
		_, ok := c.table().Get(c.args[0])
		return ok, nil
	}
	return methods{
		"ContainsKey": method("ContainsKey", 1, 1, has),
		"Contains":    method("Contains", 1, 1, has),
		"ContainsValue": method("ContainsValue", 1, 1, func(c call) (any, error) {
			return find(c.table().Values(), c.args[0]) >= 0, nil
		}),
		"Add": method("Add", 2, 2, func(c call) (any, error) {
			if _, twice := c.table().Get(c.args[0]); twice {
				return nil, value.NewException("System.ArgumentException", "Item has already been added. Key in dictionary: '"+c.str(0)+"'  Key being added: '"+c.str(0)+"'")
			}
			c.table().Set(c.args[0], c.args[1])
			return value.Void{}, nil
		}),
		"Remove": method("Remove", 1, 1, func(c call) (any, error) {
			_, was := c.table().Get(c.args[0])
			c.table().Remove(c.args[0])
			if c.table().Type != "" {
				return was, nil
			}
			return value.Void{}, nil
		}),
		"Clear": method("Clear", 0, 0, func(c call) (any, error) {
			c.table().Clear()
			return value.Void{}, nil
		}),
		"Clone":         method("Clone", 0, 0, func(c call) (any, error) { return c.table().Clone(), nil }),
		"GetEnumerator": method("GetEnumerator", 0, 0, func(c call) (any, error) { return c.table().Of(c.table().Entries()), nil }),
		"get_Item": method("get_Item", 1, 1, func(c call) (any, error) {
			v, _ := c.table().Get(c.args[0])
			return v, nil
		}),
	}
}

func tableProperties() methods {
	return methods{
		"Count":  property(func(h *value.Hashtable) any { return int32(h.Len()) }),
		"Keys":   property(func(h *value.Hashtable) any { return keyCollection(h) }),
		"Values": property(func(h *value.Hashtable) any { return h.Of(h.Values()) }),
	}
}

// keyCollection is the collection of keys, which is no array: it has a Count, and a
// script that wants an element makes an array of it.
func keyCollection(h *value.Hashtable) any { return h.Of(h.Keys()) }

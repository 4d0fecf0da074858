package dotnet

import (
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

func collectionTypes() []interp.Type {
	count := func(c call) (any, error) {
		n, _ := value.Length(c.self)
		return int32(n), nil
	}
	length := method("Length", 0, 0, count)
	return []interp.Type{
		{Name: "System.Array", Aliases: []string{"array"}, Properties: methods{
			"Length": length, "Count": length,
		}},
		{
			Name: "System.Collections.Hashtable", Aliases: []string{"hashtable", "System.Collections.Specialized.OrderedDictionary", "ordered"},
			New: static("Hashtable", 0, 0, func(call) (any, error) { return value.NewHashtable(), nil }), Methods: tableMethods(), Properties: tableProperties(),
		},
		{
			Name:    "System.Management.Automation.PSBoundParametersDictionary",
			Methods: tableMethods(), Properties: tableProperties(),
		},
		{Name: "System.Collections.IDictionary", Aliases: []string{"collections.idictionary"}},
		{Name: "System.Collections.IList"}, {Name: "System.Collections.IEnumerable"}, {Name: "System.Collections.ICollection"},
	}
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
		"GetEnumerator": method("GetEnumerator", 0, 0, func(c call) (any, error) { return c.table().Of(c.table().Entries()), nil }),
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

package clr

import (
	"context"
	"errors"
	"slices"
	"strings"

	"kinit/test/winsim/machine"
	"kinit/test/winsim/machine/registry"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

const (
	keyType  = "Microsoft.Win32.RegistryKey"
	kindType = "Microsoft.Win32.RegistryValueKind"
)

// kinds are the kinds of values with the numbers of RegistryValueKind.
func kinds() value.EnumType {
	e := value.EnumType{Name: kindType}
	for _, k := range []struct {
		kind   registry.Kind
		number int64
	}{
		{registry.String, 1}, {registry.ExpandString, 2}, {registry.Binary, 3}, {registry.DWord, 4}, {registry.MultiString, 7}, {registry.QWord, 11}, {registry.None, -1},
	} {
		e.Values = append(e.Values, value.NewEnum(kindType, string(k.kind), k.number))
	}
	return e
}

// hives are the paths of the hives by their names in RegistryHive.
func (l library) hives() map[string]string {
	return map[string]string{
		"LocalMachine": "HKEY_LOCAL_MACHINE", "CurrentUser": registry.For(l.p.User, "HKEY_CURRENT_USER"),
		"Users": "HKEY_USERS", "ClassesRoot": "HKEY_CLASSES_ROOT",
	}
}

func (l library) registryTypes() []interp.Type {
	hives := value.EnumType{Name: "Microsoft.Win32.RegistryHive"}
	root := interp.Type{Name: "Microsoft.Win32.Registry", Values: map[string]interp.Func{}}
	for i, name := range []string{"ClassesRoot", "CurrentUser", "LocalMachine", "Users"} {
		hives.Values = append(hives.Values, value.NewEnum(hives.Name, name, -2147483648+int64(i)))
		root.Values[name] = func(context.Context, *interp.Session, []any) (any, error) {
			return l.Key(l.hives()[name], true), nil
		}
	}
	return []interp.Type{
		root, interp.EnumType(hives), interp.EnumType(kinds()),
		interp.EnumType(value.EnumType{Name: "Microsoft.Win32.RegistryView", Values: []value.Enum{
			value.NewEnum("Microsoft.Win32.RegistryView", "Default", 0), value.NewEnum("Microsoft.Win32.RegistryView", "Registry64", 256), value.NewEnum("Microsoft.Win32.RegistryView", "Registry32", 512),
		}}),
		interp.EnumType(value.Of("Microsoft.Win32.RegistryValueOptions", "None", "DoNotExpandEnvironmentNames")),
		{Name: keyType, Statics: map[string]interp.Func{
			"OpenBaseKey": static("RegistryKey.OpenBaseKey", 2, 2, func(_ context.Context, _ *interp.Session, args []any) (any, error) {
				if value.String(args[1]) == "Registry32" {
					return nil, unknown.New("the 32-bit view of the registry")
				}
				hive, err := hives.Convert(args[0])
				if err != nil {
					return nil, err
				}
				return l.Key(l.hives()[hive.(value.Enum).Name], true), nil
			}),
		}},
	}
}

// Key is a key of the registry as an object of a process.
func Key(p *machine.Process, path string) *value.Object {
	return library{p.Machine, p}.Key(path, false)
}

// Value is a value of the registry for a script of a process, with texts expanded.
func Value(p *machine.Process, v registry.Value) any {
	return library{p.Machine, p}.Value(v, false)
}

// Key is a key of the registry as an object.
func (l library) Key(path string, writable bool) *value.Object {
	full, err := l.m.Registry.Name(path)
	if err != nil {
		full = path
	}
	o := value.NewObject(keyType, value.P("Name", full), value.P("PSChildName", full[strings.LastIndexByte(full, '\\')+1:]),
		value.P("PSPath", `Microsoft.PowerShell.Core\Registry::`+full), value.P("PSIsContainer", true),
		&value.Property{Name: "ValueCount", Get: func() (any, error) { return int32(len(l.names(path))), nil }},
		&value.Property{Name: "Property", Get: func() (any, error) { return value.NewStrings(l.names(path)...), nil }})
	o.Text = func() string { return full }
	o.Data = path
	method(o, "OpenSubKey", 1, 2, func(_ context.Context, args []any) (any, error) {
		below := path + `\` + value.String(args[0])
		if !l.m.Registry.Has(below) {
			return nil, nil
		}
		return l.Key(below, len(args) == 2 && value.Truth(args[1])), nil
	})
	method(o, "CreateSubKey", 1, 2, func(_ context.Context, args []any) (any, error) {
		below := path + `\` + value.String(args[0])
		if err := l.m.Registry.Make(below); err != nil {
			return nil, err
		}
		return l.Key(below, true), nil
	})
	method(o, "GetSubKeyNames", 0, 0, func(context.Context, []any) (any, error) {
		names, err := l.m.Registry.Keys(path)
		return value.NewStrings(names...), err
	})
	method(o, "GetValueNames", 0, 0, func(context.Context, []any) (any, error) { return value.NewStrings(l.names(path)...), nil })
	l.readers(o, path)
	l.writers(o, path, writable)
	quiet(o, "Close", "Dispose", "Flush")
	return o
}

func (l library) names(path string) []string {
	values, err := l.m.Registry.Values(path)
	if err != nil {
		return nil
	}
	var names []string
	for _, v := range values {
		names = append(names, v.Name)
	}
	return names
}

func (l library) readers(o *value.Object, path string) {
	method(o, "GetValue", 1, 3, func(_ context.Context, args []any) (any, error) {
		v, ok := l.m.Registry.Get(path, value.String(args[0]))
		if !ok {
			if len(args) > 1 {
				return value.Base(args[1]), nil
			}
			return nil, nil
		}
		raw := len(args) == 3 && value.String(args[2]) == "DoNotExpandEnvironmentNames"
		return l.Value(v, raw), nil
	})
	method(o, "GetValueKind", 1, 1, func(_ context.Context, args []any) (any, error) {
		v, ok := l.m.Registry.Get(path, value.String(args[0]))
		if !ok {
			return nil, value.NewException("System.IO.IOException", "The specified registry key does not exist.")
		}
		return kinds().Convert(string(v.Kind))
	})
}

// errReadOnly is the exception of a key that was opened without the right to write.
func errReadOnly() error {
	return value.NewException("System.UnauthorizedAccessException", "Cannot write to the registry key.")
}

func (l library) writers(o *value.Object, path string, writable bool) {
	write := func(name string, least, most int, change func(args []any) error) {
		method(o, name, least, most, func(_ context.Context, args []any) (any, error) {
			if !writable {
				return nil, errReadOnly()
			}
			return value.Void{}, change(args)
		})
	}
	write("SetValue", 2, 3, func(args []any) error {
		kind := registry.Kind("")
		if len(args) == 3 {
			converted, err := kinds().Convert(args[2])
			if err != nil {
				return err
			}
			kind = registry.Kind(converted.(value.Enum).Name)
		}
		v, err := ToValue(value.String(args[0]), args[1], kind)
		if err != nil {
			return err
		}
		return l.m.Registry.Set(path, v)
	})
	write("DeleteValue", 1, 2, func(args []any) error {
		err := l.m.Registry.DeleteValue(path, value.String(args[0]))
		if errors.Is(err, winerr.FileNotFound) {
			return unlessQuiet(args, "No value exists with that name.")
		}
		return err
	})
	remove := func(recurse bool) func(args []any) error {
		return func(args []any) error {
			err := l.m.Registry.Delete(path+`\`+value.String(args[0]), recurse)
			switch {
			case errors.Is(err, winerr.FileNotFound):
				return unlessQuiet(args, "Cannot delete a subkey tree because the subkey does not exist.")
			case errors.Is(err, winerr.InvalidParameter):
				return value.NewException("System.InvalidOperationException", "Registry key has subkeys and recursive removes are not supported by this method.")
			}
			return err
		}
	}
	write("DeleteSubKey", 1, 2, remove(false))
	write("DeleteSubKeyTree", 1, 2, remove(true))
}

// unlessQuiet is the exception of what is not there, unless the second argument says
// that it does not matter.
func unlessQuiet(args []any, message string) error {
	if len(args) == 2 && !value.Truth(args[1]) {
		return nil
	}
	return value.NewException("System.ArgumentException", message)
}

// Value is a value of the registry for a script. Texts are expanded unless it is to be
// raw.
func (l library) Value(v registry.Value, raw bool) any {
	switch v.Kind {
	case registry.DWord:
		return int32(uint32(v.Number))
	case registry.QWord:
		return int64(v.Number)
	case registry.MultiString:
		return value.NewStrings(v.List...)
	case registry.ExpandString:
		if raw {
			return v.Text
		}
		return l.p.Env.Expand(v.Text)
	case registry.String:
		return v.Text
	default:
		return &value.Bytes{Data: slices.Clone(v.Bytes)}
	}
}

// ToValue is a value of a script for the registry. Without a kind, that of .NET is
// taken: numbers of 32 bits, lists of texts, bytes, or text.
func ToValue(name string, data any, kind registry.Kind) (registry.Value, error) {
	v := registry.Value{Name: name, Kind: kind}
	if kind == "" {
		v.Kind = kindOf(data)
	}
	mismatch := value.NewException("System.ArgumentException",
		"The type of the value object did not match the specified RegistryValueKind or the object could not be properly converted.")
	switch v.Kind {
	case registry.DWord, registry.QWord:
		full := map[registry.Kind]string{registry.DWord: "System.Int32", registry.QWord: "System.Int64"}[v.Kind]
		converted, err := value.Convert(data, full)
		if err != nil {
			return v, mismatch
		}
		number, _ := value.Integer(converted)
		v.Number = uint64(number)
		if v.Kind == registry.DWord {
			v.Number = uint64(uint32(number))
		}
	case registry.MultiString:
		if _, ok := value.Items(data); !ok {
			return v, mismatch
		}
		for _, item := range value.Each(data) {
			v.List = append(v.List, value.String(item))
		}
	case registry.Binary, registry.None:
		b, ok := value.Base(data).(*value.Bytes)
		if !ok {
			return v, mismatch
		}
		v.Bytes = slices.Clone(b.Data)
	default:
		v.Text = value.String(data)
	}
	return v, nil
}

func kindOf(data any) registry.Kind {
	switch b := value.Base(data).(type) {
	case int32:
		return registry.DWord
	case *value.Bytes:
		return registry.Binary
	case *value.Array:
		if b.Elem == "System.String" {
			return registry.MultiString
		}
	}
	return registry.String
}

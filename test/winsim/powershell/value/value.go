// Package value has the values of scripts: how they are converted, compared, added and
// written as text, as Windows PowerShell 5.1 does it.
//
// A value is one of these Go types:
//
//	nil                       $null
//	Empty                     what a command without output leaves; $null in most places
//	bool, string, Char        System.Boolean, String, Char
//	int32, int64, uint32, uint64, uint8, int16, uint16, float64
//	*Array, *Bytes, *List     object[] and others, byte[], ArrayList and List
//	*Hashtable                Hashtable, OrderedDictionary, Dictionary
//	DateTime, TimeSpan, GUID, Version, *Regex, Enum, Switch
//	Type                      a type itself
//	*Exception, *ErrorRecord, *Ref
//	*Object                   everything else: custom objects, what cmdlets return
//	ScriptBlock               { }, which the interpreter makes
package value

import (
	"strings"
)

// Empty is what a pipeline that wrote nothing leaves. Written to a pipeline it is no
// object; elsewhere it is $null.
type Empty struct{}

// Void is what a method without a value returns: as a statement it writes nothing.
type Void struct{}

// Char is a System.Char, a unit of UTF-16.
type Char uint16

// Switch is a System.Management.Automation.SwitchParameter.
type Switch bool

// Type is a type as a value; Name is its full name, such as System.Int32.
type Type struct{ Name string }

// Enum is a value of an enumeration.
type Enum struct {
	Type   string // full name
	Name   string // or names, with comma and blank between
	Number int64
}

// ScriptBlock is a block of statements as a value.
type ScriptBlock interface {
	// Source is the text between the braces.
	Source() string
}

// Base is the value itself, without properties that were added to it; $null for all
// kinds of nothing.
func Base(v any) any {
	switch v := v.(type) {
	case Empty, Void:
		return nil
	case *Object:
		if v == nil {
			return nil
		}
		if v.Base != nil {
			return Base(v.Base)
		}
	}
	return v
}

// IsNull reports whether a value equals $null.
func IsNull(v any) bool { return Base(v) == nil }

// TypeName is the full .NET name of a value's type; empty for $null.
func TypeName(v any) string {
	switch v := Base(v).(type) {
	case bool:
		return "System.Boolean"
	case string:
		return "System.String"
	case Char:
		return "System.Char"
	case Switch:
		return "System.Management.Automation.SwitchParameter"
	case int16, uint16, int32, int64, uint32, uint64, uint8, float64:
		return numberTypeName(v)
	case *Array:
		return v.elem() + "[]"
	case *Bytes:
		return "System.Byte[]"
	case *List:
		return v.Type
	case *Hashtable:
		return v.typeName()
	case DateTime:
		return "System.DateTime"
	case TimeSpan:
		return "System.TimeSpan"
	case GUID:
		return "System.Guid"
	case Version:
		return "System.Version"
	case *Regex:
		return "System.Text.RegularExpressions.Regex"
	case Enum:
		return v.Type
	case Type:
		return "System.RuntimeType"
	case ScriptBlock:
		return "System.Management.Automation.ScriptBlock"
	case *Exception:
		return v.Type
	case *ErrorRecord:
		return "System.Management.Automation.ErrorRecord"
	case *Ref:
		return "System.Management.Automation.PSReference"
	case *Object:
		return v.Type
	}
	return ""
}

func numberTypeName(v any) string {
	switch v.(type) {
	case int16:
		return "System.Int16"
	case uint16:
		return "System.UInt16"
	case int32:
		return "System.Int32"
	case int64:
		return "System.Int64"
	case uint32:
		return "System.UInt32"
	case uint64:
		return "System.UInt64"
	case uint8:
		return "System.Byte"
	}
	return "System.Double"
}

// ShortTypeName is the last part of a full name.
func ShortTypeName(name string) string {
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Truth is a value as a condition.
func Truth(v any) bool {
	switch v := Base(v).(type) {
	case nil:
		return false
	case bool:
		return v
	case Switch:
		return bool(v)
	case string:
		return v != ""
	case Char:
		return v != 0
	case Enum:
		return v.Number != 0
	case *Array:
		return truthOfItems(v.Items)
	case *List:
		return truthOfItems(v.Items)
	case *Bytes:
		return len(v.Data) > 1 || len(v.Data) == 1 && v.Data[0] != 0
	}
	if n, ok := toFloat(Base(v)); ok {
		return n != 0
	}
	return true
}

func truthOfItems(items []any) bool {
	switch len(items) {
	case 0:
		return false
	case 1:
		if inner, ok := Items(items[0]); ok {
			return len(inner) > 0
		}
		return Truth(items[0])
	}
	return true
}

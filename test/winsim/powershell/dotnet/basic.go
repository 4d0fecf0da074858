package dotnet

import (
	"cmp"
	"slices"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/value"
)

// methods is a shorthand for the methods of a type.
type methods = map[string]interp.InstanceFunc

// statics is a shorthand for the static members of a type.
type statics = map[string]interp.Func

// nullString is the type whose value is a text that is really null.
const nullString = "System.Management.Automation.Language.NullString"

func basicTypes() []interp.Type {
	return []interp.Type{
		{Name: "System.Object", Aliases: []string{"object"}, New: static("Object", 0, 0, func(call) (any, error) {
			return &value.Object{Type: "System.Object", Complete: true}, nil
		}), Methods: methods{
			"GetType":  method("GetType", 0, 0, getType),
			"ToString": method("ToString", 0, 1, toString),
		}},
		{Name: "System.Management.Automation.PSObject", Aliases: []string{"psobject", "PSObject", "pscustomobject"}, New: static("PSObject", 0, 0, func(call) (any, error) {
			return value.NewCustom(), nil
		})},
		{Name: value.CustomObject},
		{Name: nullString, Aliases: []string{"NullString"}, Values: statics{"Value": constant(&value.Object{Type: nullString, Complete: true})}},
		{Name: "System.Void", Aliases: []string{"void"}},
		{Name: "System.Boolean", Aliases: []string{"bool"}, Statics: statics{}, Values: statics{"TrueString": constant("True"), "FalseString": constant("False")}},
		{Name: "System.Management.Automation.SwitchParameter", Aliases: []string{"switch", "switchparameter"}, Properties: methods{}},
		{Name: "System.RuntimeType", Properties: methods{
			"Name": property(func(t value.Type) any { return value.ShortTypeName(t.Name) }),
		}},
		{Name: "System.Type", Aliases: []string{"type"}},
		{Name: "System.Enum", Properties: methods{}, Methods: methods{}},
		{Name: "System.ValueType"},
		{Name: "System.Management.Automation.ScriptBlock", Aliases: []string{"scriptblock"}, Statics: statics{
			"Create": static("Create", 1, 1, func(c call) (any, error) { return interp.NewBlock(c.str(0)) }),
		}, Methods: methods{}},
		{Name: "System.Exception", Methods: methods{
			"GetBaseException": method("GetBaseException", 0, 0, func(c call) (any, error) { return c.self.(*value.Exception).GetBase(), nil }),
		}},
		{Name: "System.Management.Automation.ErrorRecord", Aliases: []string{"errorrecord"}, Properties: recordProperties()},
		{Name: "System.Guid", Aliases: []string{"guid"}, Statics: statics{
			"NewGuid": static("NewGuid", 0, 0, func(call) (any, error) { return value.NewGUID(), nil }),
		}, Values: statics{"Empty": constant(value.GUID{})}, New: static("Guid", 1, 1, func(c call) (any, error) {
			return value.Convert(c.str(0), "System.Guid")
		})},
		{Name: "System.Version", Aliases: []string{"version"}},
	}
}

func getType(c call) (any, error) { return value.Type{Name: value.TypeName(c.self)}, nil }

func toString(c call) (any, error) {
	if len(c.args) == 0 || value.IsNull(c.args[0]) {
		return value.FormatOne(c.self, "")
	}
	if o, ok := c.args[0].(*value.Object); ok && o.Type == "System.Globalization.CultureInfo" {
		return value.String(c.self), nil
	}
	return value.FormatOne(c.self, c.str(0))
}

func recordProperties() methods {
	record := func(get func(r *value.ErrorRecord) any) interp.InstanceFunc { return property(get) }
	return methods{
		"Exception":             record(func(r *value.ErrorRecord) any { return r.Exception }),
		"FullyQualifiedErrorId": record(func(r *value.ErrorRecord) any { return r.ID }),
		"CategoryInfo":          record(categoryInfo),
		"InvocationInfo":        record(invocationInfo),
	}
}

func categoryInfo(r *value.ErrorRecord) any {
	category := cmp.Or(r.Category, "NotSpecified")
	o := value.NewObject("System.Management.Automation.ErrorCategoryInfo",
		value.P("Category", value.NewEnum("System.Management.Automation.ErrorCategory", category, categoryNumber(category))),
		value.P("Activity", r.Activity),
		value.P("Reason", value.ShortTypeName(r.Exception.Type)),
		value.P("TargetName", value.String(r.Target)),
		value.P("TargetType", value.ShortTypeName(value.TypeName(r.Target))))
	o.Text = func() string { return interp.CategoryText(r) }
	return o
}

// categoryNumber is the number of a System.Management.Automation.ErrorCategory.
func categoryNumber(name string) int64 {
	return int64(max(0, slices.Index([]string{
		"NotSpecified", "OpenError", "CloseError", "DeviceError", "DeadlockDetected", "InvalidArgument", "InvalidData",
		"InvalidOperation", "InvalidResult", "InvalidType", "MetadataError", "NotImplemented", "NotInstalled", "ObjectNotFound",
		"OperationStopped", "OperationTimeout", "SyntaxError", "ParserError", "PermissionDenied", "ResourceBusy", "ResourceExists",
		"ResourceUnavailable", "ReadError", "WriteError", "FromStdErr", "SecurityError",
	}, name)))
}

func invocationInfo(r *value.ErrorRecord) any {
	p := r.Place
	return value.NewObject("System.Management.Automation.InvocationInfo",
		value.P("PositionMessage", interp.PositionMessage(p)),
		value.P("ScriptLineNumber", int32(p.Line)),
		value.P("OffsetInLine", int32(p.Column)),
		value.P("Line", lineOf(p)),
		value.P("ScriptName", p.Script),
		value.P("InvocationName", p.Command))
}

// lineOf is the source line with its end, as the real property has it.
func lineOf(p value.Place) string {
	if p.Line == 0 {
		return ""
	}
	return p.LineText + "\n"
}

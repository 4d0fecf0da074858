package core

import (
	"context"
	"strings"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func objectCmdlets() []interp.Cmdlet {
	return []interp.Cmdlet{
		{Name: "New-Object", Parameters: []interp.Parameter{
			{Name: "TypeName", Type: "string", Position: 1}, {Name: "ArgumentList", Aliases: []string{"Args"}, Position: 2},
			{Name: "Property", Type: "hashtable"}, {Name: "ComObject", Type: "string"},
		}, Run: newObject},
		{Name: "Add-Member", Parameters: []interp.Parameter{
			{Name: "InputObject", Mandatory: true, Pipeline: true}, {Name: "MemberType", Aliases: []string{"Type"}, Type: "string"},
			{Name: "Name", Type: "string"}, {Name: "Value"}, {Name: "NotePropertyName", Type: "string", Position: 1},
			{Name: "NotePropertyValue", Position: 2}, {Name: "NotePropertyMembers", Type: "hashtable"},
			{Name: "Force", Type: "switch"}, {Name: "PassThru", Type: "switch"},
		}, Run: addMember},
	}
}

// newObject makes an instance of a type. Of an array it is told as 5.1 knows it: made
// by New-Object, which ConvertTo-Json shows.
func newObject(ctx context.Context, c *interp.Call) error {
	if c.Has("ComObject") {
		return unknown.New("New-Object -ComObject %s", c.String("ComObject"))
	}
	full, err := c.Session.Interpreter().Resolve(c.String("TypeName"))
	if err != nil {
		return err
	}
	args := value.Each(c.Value("ArgumentList"))
	if !c.Has("ArgumentList") {
		args = nil
	}
	v, err := c.Session.New(ctx, full, args)
	if err != nil {
		return newFailed(c, err)
	}
	if a, ok := v.(*value.Array); ok {
		a.Wrapped = true
	}
	if err := setProperties(ctx, c, v); err != nil {
		return err
	}
	return c.WriteObject(ctx, v)
}

// newFailed is an exception of a constructor as New-Object wraps it.
func newFailed(c *interp.Call, err error) error {
	e, ok := err.(*value.Exception)
	if !ok {
		return err
	}
	wrapped := value.NewException("System.Management.Automation.MethodInvocationException",
		`Exception calling ".ctor" with "`+value.String(int32(len(value.Each(c.Value("ArgumentList")))))+`" argument(s): "`+e.Message+`"`)
	wrapped.Inner = e
	return c.Terminate(interp.NewError(wrapped, "ConstructorInvokedThrowException,Microsoft.PowerShell.Commands.NewObjectCommand", "InvalidOperation", nil))
}

// setProperties sets what -Property has: new ones of a custom object.
func setProperties(_ context.Context, c *interp.Call, v any) error {
	h, ok := value.Base(c.Value("Property")).(*value.Hashtable)
	if !ok {
		return nil
	}
	o, ok := v.(*value.Object)
	if !ok {
		return unknown.New("New-Object -Property of a %s", value.TypeName(v))
	}
	for _, key := range h.Keys() {
		name := value.String(key)
		item, _ := h.Get(key)
		p := o.Find(name)
		switch {
		case p == nil && o.Complete:
			o.Add(note(name, item))
		case p == nil:
			return unknown.New("the property %s of %s", name, o.Type)
		case p.Set != nil:
			if err := p.Set(item); err != nil {
				return err
			}
		default:
			p.Value = item
		}
	}
	return nil
}

// addMember adds note properties. Added to a value that is no object, they are lost
// unless -PassThru returns what has them, as they are in the real one.
func addMember(ctx context.Context, c *interp.Call) error {
	if kind := c.String("MemberType"); c.Has("MemberType") && !strings.EqualFold(kind, "NoteProperty") {
		return unknown.New("Add-Member of the type %s", kind)
	}
	o := value.Decorate(c.Value("InputObject"))
	add := func(name string, v any) error {
		if o.Find(name) != nil && !c.Bool("Force") {
			return c.WriteError(ctx, record(c, "System.InvalidOperationException",
				"Cannot add a member with the name \""+name+"\" because a member with that name already exists. To overwrite the member anyway, add the Force parameter to your command.",
				"MemberAlreadyExists", "InvalidOperation", o))
		}
		o.Add(note(name, v))
		return nil
	}
	members := map[string]string{"NotePropertyName": "NotePropertyValue", "Name": "Value"}
	for name, v := range members {
		if c.Has(name) {
			if err := add(c.String(name), c.Value(v)); err != nil {
				return err
			}
		}
	}
	if h, ok := value.Base(c.Value("NotePropertyMembers")).(*value.Hashtable); ok {
		for _, key := range h.Keys() {
			item, _ := h.Get(key)
			if err := add(value.String(key), item); err != nil {
				return err
			}
		}
	}
	if !c.Bool("PassThru") {
		return nil
	}
	return c.WriteObject(ctx, o)
}

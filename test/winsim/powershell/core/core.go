// Package core has the cmdlets that are part of PowerShell itself and need no machine
// but its clock: objects, pipelines, JSON, variables.
package core

import (
	"context"

	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// Cmdlets are all of them.
func Cmdlets() []interp.Cmdlet {
	var all []interp.Cmdlet
	for _, some := range [][]interp.Cmdlet{writeCmdlets(), pipelineCmdlets(), selectCmdlets(), sortCmdlets(), objectCmdlets(), jsonCmdlets(), sessionCmdlets(), pathCmdlets()} {
		all = append(all, some...)
	}
	return all
}

// input is the parameter -InputObject.
func input() interp.Parameter { return interp.Parameter{Name: "InputObject", Pipeline: true} }

// each are the objects of one call of Run: what was piped in, or the elements of
// -InputObject, as cmdlets with such a parameter take them.
func each(c *interp.Call) []any {
	if c.Piped {
		return []any{c.Input}
	}
	if !c.Has("InputObject") {
		return nil
	}
	return []any{c.Value("InputObject")}
}

// notHere refuses a parameter that is declared only so that its use is named.
func notHere(c *interp.Call, names ...string) error {
	for _, name := range names {
		if c.Has(name) {
			return unknown.New("the parameter -%s of %s", name, c.Cmdlet.Name)
		}
	}
	return nil
}

// record is an error of a cmdlet.
func record(c *interp.Call, exceptionType, message, id, category string, target any) *value.ErrorRecord {
	return interp.NewError(value.NewException(exceptionType, message), id+",Microsoft.PowerShell.Commands."+class(c.Cmdlet.Name), category, target)
}

// class is the name of the class of a cmdlet: GetItemCommand.
func class(name string) string {
	out := ""
	for _, r := range name {
		if r != '-' {
			out += string(r)
		}
	}
	return out + "Command"
}

// property is a property of a value, as Select-Object and others look it up: what is
// not there is nothing.
func property(ctx context.Context, c *interp.Call, v any, name string) (any, error) {
	return c.Session.Get(ctx, v, name)
}

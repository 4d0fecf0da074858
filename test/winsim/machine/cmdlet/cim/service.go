package cim

import (
	"strings"

	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/machine/scm"
	"kinit/test/winsim/machine/winerr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

// instanceName is the name of the instance that a method is called on.
func instanceName(c *interp.Call) string {
	o, ok := c.Value("InputObject").(*value.Object)
	if !ok {
		return ""
	}
	return value.String(o.Property("Name"))
}

// serviceCode is what methods of Win32_Service return for an error (its documentation).
func serviceCode(err error) uint32 {
	switch code := cmdlet.Code(err); code {
	case 0:
		return 0
	case winerr.AccessDenied:
		return 2
	case winerr.DependentsRunning:
		return 3
	case winerr.MarkedForDelete:
		return 16
	case winerr.ServiceAccount, winerr.LogonFailed:
		return 22
	default:
		return 8 // unknown failure
	}
}

// changeService is Win32_Service.Change with the parameters that are modelled.
func (i module) changeService(name string, arguments *value.Hashtable) (uint32, error) {
	if arguments == nil {
		return 0, nil
	}
	values := map[string]string{}
	for _, key := range arguments.Keys() {
		v, _ := arguments.Get(key)
		values[strings.ToLower(value.String(key))] = value.String(v)
	}
	if account, ok := values["startname"]; ok {
		if _, err := i.m.ServiceUser(account); err != nil {
			return serviceCode(winerr.Of(winerr.ServiceAccount, "change service", name)), nil
		}
	}
	var bad error
	err := i.m.Services.Change(name, func(c *scm.Config) {
		for key, text := range values {
			switch key {
			case "pathname":
				c.Image = text
			case "displayname":
				c.DisplayName = text
			case "startname":
				c.Account = text
			case "startpassword":
				// Passwords of services are not looked at.
			default:
				bad = unknown.New("the parameter %s of Win32_Service.Change", key)
			}
		}
	})
	return serviceCode(err), bad
}

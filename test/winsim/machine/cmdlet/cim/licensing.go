package cim

import (
	"kinit/test/winsim/machine/cmdlet"
	"kinit/test/winsim/powershell/value"
)

// windows is the ApplicationID of Windows among the products that are licensed.
const windows = "55c92734-d682-4d71-983e-d6ec3f16059f"

// products are SoftwareLicensingProduct: the edition that is installed, with a key, and another
// one. LicenseStatus is 1 for activated, 2 for the first time without activation.
func (i module) products() []*value.Object {
	status := uint32(2)
	if i.m.Activated() {
		status = 1
	}
	product := func(name, key string, status uint32) *value.Object {
		return object("SoftwareLicensingProduct", value.P("Name", name), value.P("ApplicationID", windows),
			value.P("PartialProductKey", cmdlet.TextOrNull(key)), value.P("LicenseStatus", status))
	}
	return []*value.Object{
		product("Windows(R), ServerDatacenterEval edition", "37CYR", status),
		product("Windows(R), ServerDatacenter edition", "", 0),
	}
}

func (i module) licensing() []*value.Object {
	return []*value.Object{object("SoftwareLicensingService", value.P("Version", i.m.Release().Name))}
}

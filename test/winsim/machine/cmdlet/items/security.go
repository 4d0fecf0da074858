package items

import (
	"context"
	"errors"

	"kinit/test/winsim/machine/clr"
	"kinit/test/winsim/machine/ntfs"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (i module) security() []interp.Cmdlet {
	return []interp.Cmdlet{{Name: "Get-Acl", Run: i.getACL, Parameters: pathParameters()}}
}

func (i module) getACL(ctx context.Context, c *interp.Call) error {
	all, literal := paths(c)
	return i.each(c, all, func(l location) error {
		if l.provider != fileSystem {
			return unknown.New("Get-Acl %s", l.asked)
		}
		return i.filesAt(ctx, c, l, literal, func(info ntfs.Info) error {
			o, err := clr.ACL(i.m, info.Path)
			if e, ok := errors.AsType[*value.Exception](err); ok {
				err = c.WriteError(ctx, interp.NewError(e, "GetAcl_OperationNotSupported,"+commands+"GetAclCommand", "NotSpecified", l.asked))
			}
			if err != nil {
				return err
			}
			return c.WriteObject(ctx, o)
		})
	})
}

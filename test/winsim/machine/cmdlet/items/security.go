package items

import (
	"context"
	"errors"

	"kinit/test/winsim/machine/clr"
	"kinit/test/winsim/powershell/interp"
	"kinit/test/winsim/powershell/unknown"
	"kinit/test/winsim/powershell/value"
)

func (i module) security() []interp.Cmdlet {
	return []interp.Cmdlet{{Name: "Get-Acl", Run: i.getACL, Parameters: pathParameters()}}
}

func (i module) getACL(ctx context.Context, c *interp.Call) error {
	all, literal := paths(c)
	for _, path := range all {
		l, err := i.locate(c.Session, path)
		if err != nil {
			return err
		}
		if l.provider != fileSystem {
			return unknown.New("Get-Acl %s", path)
		}
		infos, err := i.expand(l.path, literal)
		if err != nil {
			if err := i.found(ctx, c, l.asked, err); err != nil {
				return err
			}
			continue
		}
		for _, info := range infos {
			o, err := clr.ACL(i.m, info.Path)
			var e *value.Exception
			if errors.As(err, &e) {
				err = c.WriteError(ctx, interp.NewError(e, "GetAcl_OperationNotSupported,"+commands+"GetAclCommand", "NotSpecified", path))
			}
			if err != nil {
				return err
			}
			if err := c.WriteObject(ctx, o); err != nil {
				return err
			}
		}
	}
	return nil
}

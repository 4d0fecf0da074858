package virt

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/internal/claim"
)

// Foreign is the error of a domain that the host's owner did not make.
func Foreign(h module.Host, name string) error {
	const advice = "choose another name, or remove it with \"virsh undefine\" if nothing needs it"
	if h.Owner() == "" {
		return fmt.Errorf("domain %s exists on %s and was not made by this playbook: %s", name, h.Name(), advice)
	}
	return fmt.Errorf("domain %s exists on %s and is not owned by cluster %s: %s", name, h.Name(), h.Owner(), advice)
}

// Remove cuts a domain's power and undefines it, and removes its logs where they
// are its owner's. A missing domain is no error, one of somebody else is.
func (c *Conn) Remove(ctx context.Context, h module.Host, name string) error {
	d, found, err := c.Find(ctx, name)
	if err != nil {
		return err
	}
	if found && !d.OwnedBy(claim.Signature(h)) {
		return Foreign(h, name)
	}
	if err := c.PowerOff(ctx, name); err != nil {
		return err
	}
	if err := c.Undefine(ctx, name); err != nil {
		return err
	}
	// A start that a run which died had asked for may have come in between: libvirt
	// undefines the domain when that has ended, and it runs on without a definition.
	if err := c.PowerOff(ctx, name); err != nil {
		return err
	}
	ours, err := LogsOwned(ctx, h, name)
	if err != nil || !ours {
		return err
	}
	return RemoveLogs(ctx, h, name)
}

// LogsOwned reports whether the host's owner made the logs of a domain and may
// remove them. Without an owner nothing is marked and they may be.
func LogsOwned(ctx context.Context, h module.Host, name string) (bool, error) {
	if h.Owner() == "" {
		return true, ctx.Err()
	}
	_, marked, err := claim.Of(ctx, h, name, LogKind)
	return marked, err
}

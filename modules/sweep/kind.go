package sweep

import (
	"context"
	"fmt"

	"kinit/engine/module"
	"kinit/modules/cron"
	"kinit/modules/hostname"
	"kinit/modules/internal/account"
	"kinit/modules/internal/lines"
	"kinit/modules/internal/packages"
	"kinit/modules/kernelmodule"
	"kinit/modules/mount"
	"kinit/modules/netns"
)

// handler undoes marks of one kind. undo is repeated after an interrupt, and must
// find nothing left to do then.
type handler struct {
	name string // the kind
	noun string // for messages
	// shared is a setting of the host, which another cluster may rely on without a
	// mark of its own, as it was so already when that one came.
	shared bool
	// lastResort is a thing that another module sweeps.
	lastResort bool
	// file is the path of what is undone, where that is written under a temporary name.
	file func(mark module.Mark) string
	undo func(ctx context.Context, h module.Host, mark module.Mark) error
}

// kinds are the kinds of marks that this module knows.
func kinds() []handler {
	return []handler{
		{name: "file", noun: "file", file: byID, undo: undoFile},
		{name: "link", noun: "link", file: byID, undo: remove},
		{name: "download", noun: "download", undo: remove},
		{name: "tree", noun: "tree", undo: undoTree},
		{name: "directory", noun: "folder", undo: undoDirectory},
		{name: "unit", noun: "unit", file: unitFile, undo: undoUnit},
		{name: "nft_table", noun: "nft table", undo: undoTable},
		{name: netns.Mark, noun: "network namespace", undo: netns.Undo},
		{name: "service", noun: "service", undo: undoService, shared: true},
		{name: "sysctl", noun: "kernel parameter", undo: undoSysctl, shared: true},
		{name: "package", noun: "package", undo: undoPackage, shared: true},
		{name: packages.MarkOfHold, noun: "hold of package", undo: undoHold, shared: true},
		{name: lines.Mark, noun: "line", file: lines.PathOf, undo: lines.Undo},
		{name: mount.Mark, noun: "mount", undo: mount.Undo},
		{name: cron.Mark, noun: "crontab entry", undo: cron.Undo},
		{name: account.UserMark, noun: "user", undo: account.UndoUser, shared: true},
		{name: account.GroupMark, noun: "group", undo: account.UndoGroup, shared: true},
		{name: account.MembershipMark, noun: "membership", undo: account.UndoMembership, shared: true},
		{name: kernelmodule.Mark, noun: "kernel module", undo: kernelmodule.Undo, shared: true},
		{name: hostname.Mark, noun: "host", undo: hostname.Undo, shared: true},
		{name: "podman_image", noun: "image", undo: undoImage, lastResort: true},
		{name: "volume", noun: "volume", undo: remove, lastResort: true},
	}
}

// byID is for marks whose ID is the path.
func byID(mark module.Mark) string { return mark.ID }

func find(kind string) handler {
	for _, one := range kinds() {
		if one.name == kind {
			return one
		}
	}
	panic("bug in kinit: sweep does not know marks of kind " + kind)
}

// text is the dry-run line.
func (k handler) text(mark module.Mark) string {
	switch {
	case k.name == "service" || k.name == "sysctl" || k.name == hostname.Mark:
		return fmt.Sprintf("bring %s %s back to how it was", k.noun, mark.ID)
	case k.name == "file" && mark.Prior != "":
		return fmt.Sprintf("bring file %s back from %s", mark.ID, mark.Prior)
	case k.name == kernelmodule.Mark:
		return "unload kernel module " + mark.ID + " unless it is used"
	case k.name == "directory":
		return "remove folder " + mark.ID + " unless others use it"
	}
	return "remove " + k.noun + " " + mark.ID
}

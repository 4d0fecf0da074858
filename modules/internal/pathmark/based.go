package pathmark

import (
	"context"
	_ "embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"kinit/engine/event"
	"kinit/engine/module"
)

// basedOn finds disk images that are based on another one, by their own headers: guests without a mark count too.
//
//go:embed based.sh
var basedOn string

// imageEnds are the endings of files that disks may be based on.
var imageEnds = []string{".qcow2", ".img", ".raw"}

// disksFolder is where libvirt has disks if nothing else is said.
const disksFolder = "/var/lib/libvirt/images"

// RemoveUnlessBase deletes the path in a mark's ID, unless a disk image is based on it: without its base, that disk would be
// lost. It looks for such disks in the folder of the file and in libvirt's.
func RemoveUnlessBase(ctx context.Context, h module.Host, mark module.Mark) error {
	if !slices.Contains(imageEnds, path.Ext(mark.ID)) {
		return Remove(ctx, h, mark)
	}
	argv := []string{"sh", "-c", basedOn, "sh", mark.ID, path.Dir(mark.ID)}
	if folder := path.Dir(mark.ID); folder != disksFolder {
		argv = append(argv, disksFolder)
	}
	out, err := h.Run(ctx, module.Command{Argv: argv})
	if err != nil {
		return fmt.Errorf("look for disks that are based on %s: %w", mark.ID, err)
	}
	if disk := strings.TrimSpace(out.Stdout); disk != "" {
		h.Report(event.Progress{Text: "file " + mark.ID + " stays: the disk " + disk + " is based on it"})
		return nil
	}
	return Remove(ctx, h, mark)
}

package etcdleave

import (
	"context"
	"fmt"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/etcdapi"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// SnapshotTask is a snapshot of an etcd, as "etcdctl snapshot save" writes it, with mode 0600. It comes from
// the host's own member, and its checksum is verified. The task writes a new file each time.
//
// Errors:
//   - the member does not answer, or the snapshot is not complete
type SnapshotTask struct {
	// Path is the file on the host. Missing folders are made.
	Path string `hcl:"path" path:"absolute"`
	etcdapi.Access
}

func SnapshotKind() module.Kind {
	return module.With[SnapshotTask, SnapshotOutputs](module.Kind{Name: "etcd_snapshot"})
}

func (t *SnapshotTask) Validate() error { return t.Check() }

// Unverifiable reports that no look shows whether another snapshot is needed.
func (t *SnapshotTask) Unverifiable() bool { return true }

func (t *SnapshotTask) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	return module.OneStep("save a snapshot of etcd in "+t.Path, t.save), ctx.Err()
}

type SnapshotOutputs struct {
	Path string `cty:"path"` // the file
}

func (t *SnapshotTask) Outputs(ctx context.Context, _ module.Host) (SnapshotOutputs, error) {
	return SnapshotOutputs{Path: t.Path}, ctx.Err()
}

// save replaces the file when all of the snapshot has arrived.
func (t *SnapshotTask) save(ctx context.Context, h module.Host) error {
	c, err := t.Client(ctx, h)
	if err != nil {
		return err
	}
	snapshot, err := c.Snapshot(ctx, t.Endpoint)
	if err != nil {
		return fmt.Errorf("take a snapshot of etcd: %w", err)
	}
	defer snapshot.Close()
	if err := t.own(ctx, h); err != nil {
		return err
	}
	if err := h.Files().Write(ctx, t.Path, snapshot, module.Attr{Mode: 0o600}); err != nil {
		return fmt.Errorf("save a snapshot of etcd in %s: %w", t.Path, err)
	}
	h.Report(event.Progress{Text: fmt.Sprintf("%d bytes", snapshot.Size)})
	return nil
}

// own marks the file before it is made.
func (t *SnapshotTask) own(ctx context.Context, h module.Host) error {
	there, err := hostfile.Exists(ctx, h, t.Path)
	if err == nil && there {
		err = ownership.Free(ctx, h, t.Path, "move it away, or use another path")
	}
	if err == nil {
		err = hostfile.Parents(ctx, h, t.Path)
	}
	if err != nil {
		return err
	}
	return h.Own(ctx, module.Mark{Kind: hostfile.FileKind, ID: t.Path})
}

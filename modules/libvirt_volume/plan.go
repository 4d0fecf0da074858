package volume

import (
	"cmp"
	"context"
	"fmt"

	"kinit/engine/bounds"
	"kinit/engine/module"
	"kinit/engine/size"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// state is the part of the host's state that Plan needs.
type state struct {
	have, base image
	marked     bool // the owner's manifest has the volume
}

func (t *Task) Plan(ctx context.Context, h module.Host) ([]module.Step, error) {
	s, err := t.read(ctx, h)
	if err != nil {
		return nil, err
	}
	if t.Absent() {
		return t.decideAbsent(s), nil
	}
	return t.decide(s)
}

// read reads the host. It also returns the error for an image that is not the owner's, so
// that steps check it again.
func (t *Task) read(ctx context.Context, h module.Host) (state, error) {
	var s state
	_, there, err := hostfile.Look(ctx, h, t.path())
	if err != nil {
		return s, err
	}
	if _, s.marked, err = ownership.Of(ctx, h, t.path()); err != nil {
		return s, err
	}
	if there && !s.marked && h.Owner() != "" {
		return s, ownership.NotOwned(h, module.Mark{ID: t.path()}, t.path()+" exists on "+h.Name()+" and",
			"choose another name or dir, or remove it yourself if nothing needs it")
	}
	if t.Absent() {
		s.have.Exists = there // it can be too broken for qemu-img
		return s, nil
	}
	return s, t.readImages(ctx, h, &s)
}

// readImages reads the image or, if it is not made yet, the base image.
func (t *Task) readImages(ctx context.Context, h module.Host, s *state) error {
	var err error
	if s.have, err = inspect(ctx, h, t.path()); err != nil || s.have.Exists || t.Backing == "" {
		return err
	}
	s.base, err = inspect(ctx, h, t.Backing)
	return err
}

// decideAbsent removes the image, or the rest of an interrupted change.
func (t *Task) decideAbsent(s state) []module.Step {
	switch {
	case s.have.Exists:
		return module.OneStep("remove volume "+t.path(), t.remove)
	case s.marked:
		return module.OneStep("remove what is left of volume "+t.path(), t.remove)
	}
	return nil
}

// decide creates or corrects the image.
func (t *Task) decide(s state) ([]module.Step, error) {
	want, err := t.bytes()
	if err != nil {
		return nil, err
	}
	if !s.have.Exists {
		// In a dry run the base image can still be missing; then only the step can
		// check its size.
		if err := t.fits(want, s.base); err != nil {
			return nil, err
		}
		return module.OneStep(t.creates(), t.create), nil
	}
	// No step can change these properties.
	const recreate = `: recreate it, with state = "absent" first; its content is lost`
	const none = "no base image"
	switch {
	case s.have.Format != "qcow2":
		return nil, fmt.Errorf("volume %s has the format %s, want qcow2%s", t.path(), s.have.Format, recreate)
	case s.have.Backing != t.Backing:
		return nil, fmt.Errorf("volume %s is made on %s, want %s%s", t.path(), cmp.Or(s.have.Backing, none), cmp.Or(t.Backing, none), recreate)
	case want != 0 && want < s.have.Size:
		return nil, fmt.Errorf("volume %s has %s and cannot shrink to %s%s", t.path(), size.Format(s.have.Size), t.Size, recreate)
	}
	if want <= s.have.Size {
		return nil, nil
	}
	text := fmt.Sprintf("grow volume %s from %s to %s", t.path(), size.Format(s.have.Size), size.Format(want))
	return module.OneStep(text, t.grow), nil
}

func (t *Task) creates() string {
	text := "create volume " + t.path()
	if t.Size != "" {
		text += " of " + t.Size
	}
	if t.Backing != "" {
		text += " on " + t.Backing
	}
	return text
}

// fits checks that the base image is not cut off.
func (t *Task) fits(want int64, base image) error {
	if want == 0 || want >= base.Size {
		return nil
	}
	return fmt.Errorf("size %s of volume %s is less than the %s of its base image %s: ask for at least that",
		t.Size, t.path(), size.Format(base.Size), t.Backing)
}

// image is qemu-img's description of a file.
type image struct {
	Exists  bool   `json:"-"`
	Format  string `json:"format"`
	Size    int64  `json:"virtual-size"` // bytes
	Backing string `json:"full-backing-filename"`
}

// inspect reads an image; a missing file is not an error. A running domain holds a
// lock on its image, which -U ignores.
func inspect(ctx context.Context, h module.Host, path string) (image, error) {
	_, there, err := hostfile.Look(ctx, h, path)
	if err != nil || !there {
		return image{}, err
	}
	out, err := h.Run(ctx, module.Command{Argv: []string{"qemu-img", "info", "--output=json", "-U", path}})
	if err != nil {
		return image{}, fmt.Errorf("read image %s: %w", path, err)
	}
	i := image{Exists: true}
	if err := bounds.DecodeJSON([]byte(out.Stdout), &i); err != nil {
		return image{}, fmt.Errorf("read image %s: qemu-img gave no JSON: %w", path, err)
	}
	return i, nil
}

package host

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path"
	"slices"
	"time"

	"kinit/engine/module"
)

// whoseTime is how long it may take to find out whose an object is.
const whoseTime = 10 * time.Second

// Whose adds to the error about an object that is not the owner's whose it is, if the marks on the host can be read. Another
// error is returned as it is.
func Whose(ctx context.Context, h module.Host, err error) error {
	foreign, is := errors.AsType[*module.NotOwnedError](err)
	b, bound := h.(*bound)
	if !is || !bound || foreign.Whose != "" || ctx.Err() != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, whoseTime)
	defer cancel()
	if whose, failed := b.whose(ctx, foreign); failed == nil {
		foreign.Whose = whose
	}
	return err
}

// whose looks for the mark of an object among those of all owners, and returns what follows "is not owned by cluster X".
func (b *bound) whose(ctx context.Context, foreign *module.NotOwnedError) (string, error) {
	owners, err := b.list(ctx, b.settings.Manifests)
	if err != nil {
		return "", err
	}
	for _, folder := range owners {
		kinds, err := b.list(ctx, path.Join(folder, "owned"))
		if err != nil {
			return "", err
		}
		for _, kind := range kinds {
			r, err := b.read(ctx, path.Join(kind, b.escape(foreign.ID)+".json"))
			if err != nil || r.ID != foreign.ID || len(foreign.Kinds) > 0 && !slices.Contains(foreign.Kinds, r.Kind) {
				continue
			}
			if owner := unescaped(path.Base(folder)); owner != b.owner || r.Instance != b.Instance() {
				return b.holder(ctx, owner), nil
			}
		}
	}
	return " (it has no mark of kinit)", nil
}

// holder names an owner, and says who made its instance.
func (b *bound) holder(ctx context.Context, owner string) string {
	text := " but by " + owner
	if owner == b.owner {
		text = " but by another " + owner
	}
	found, err := b.Bind(owner, nil).(*bound).found(ctx)
	if err != nil || found.Nothing() {
		return text
	}
	return fmt.Sprintf("%s (%s)", text, found.MadeIt())
}

// unescaped returns the text of an escaped name. One that was cut stays as it is.
func unescaped(name string) string {
	if text, err := url.PathUnescape(name); err == nil {
		return text
	}
	return name
}

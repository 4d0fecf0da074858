// Package claim asks whom a thing on a host belongs to.
//
// A module may replace or remove what its cluster made. What was there before,
// or belongs to another cluster, is left alone.
package claim

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/module"
)

// Signature is what marks outside of the owner's manifest say of whose a thing is: the
// owner's name and the id of its instance. Two owners of one name have two. It is empty
// without an owner.
func Signature(h module.Host) string {
	if h.Owner() == "" || h.Instance() == "" {
		return h.Owner()
	}
	return h.Owner() + separator + h.Instance()
}

// Name is the owner's name in a signature, for people and for folders.
func Name(signature string) string {
	name, _, _ := strings.Cut(signature, separator)
	return name
}

// Who is the owner of a signature as messages call it beside the one of another.
func Who(signature, beside string) string {
	if signature != beside && Name(signature) == Name(beside) {
		return "another cluster " + Name(signature)
	}
	return "cluster " + Name(signature)
}

// Short is the owner of a signature where a message has called it a cluster already.
func Short(signature, beside string) string {
	if signature != beside && Name(signature) == Name(beside) {
		return "another " + Name(signature)
	}
	return Name(signature)
}

// Namesake tells whether a signature is that of another owner of the host's owner's name.
func Namesake(h module.Host, signature string) bool {
	return h.Owner() != "" && Name(signature) == h.Owner() && signature != Signature(h)
}

// LeftAlone says that a thing stays, which another owner of the name has.
func LeftAlone(h module.Host, what string) string {
	return what + " is left alone: another cluster " + h.Owner() + " made it"
}

// separator is in no name and in no id.
const separator = "."

// Of returns the owner's mark of a thing and whether there is one. Without kinds,
// a mark of any kind counts: a path has one owner, whichever module made it.
func Of(ctx context.Context, h module.Host, id string, kinds ...string) (module.Mark, bool, error) {
	marks, err := h.Marks(ctx)
	if err != nil {
		return module.Mark{}, false, fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	for _, m := range marks {
		if m.ID == id && (len(kinds) == 0 || slices.Contains(kinds, m.Kind)) {
			return m, true, nil
		}
	}
	return module.Mark{}, false, nil
}

// Free returns nil when the thing may be replaced or removed: the owner has a
// mark of it, or nothing on the host has an owner. Otherwise the error says that
// the thing is not the owner's, and the advice what to do.
func Free(ctx context.Context, h module.Host, id, advice string, kinds ...string) error {
	if h.Owner() == "" {
		return nil
	}
	_, ours, err := Of(ctx, h, id, kinds...)
	if err != nil || ours {
		return err
	}
	return fmt.Errorf("%s exists and is not owned by cluster %s: %s", id, h.Owner(), advice)
}

// Release removes every mark of a thing that is gone, of one of the kinds or of
// any. A host without an owner has none.
func Release(ctx context.Context, h module.Host, id string, kinds ...string) error {
	if h.Owner() == "" {
		return nil
	}
	marks, err := h.Marks(ctx)
	if err != nil {
		return fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	for _, m := range marks {
		if m.ID != id || len(kinds) > 0 && !slices.Contains(kinds, m.Kind) {
			continue
		}
		if err := h.Disown(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// Package ownership determines the owner of an object on a host.
//
// A module may replace or remove objects that its cluster made. Objects from before kinit,
// or of another cluster, are not changed.
package ownership

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"kinit/engine/exactjson"
	"kinit/engine/module"
)

// Signature is the owner in marks outside of the owner's manifest: the owner's name and
// the id of its instance. Two owners with one name have two signatures. It is empty
// without an owner.
func Signature(h module.Host) string {
	if h.Owner() == "" || h.Instance() == "" {
		return h.Owner()
	}
	return h.Owner() + separator + h.Instance()
}

// Name returns the owner's name in a signature, for people and for folders.
func Name(signature string) string {
	name, _, _ := strings.Cut(signature, separator)
	return name
}

// Who returns the owner of a signature for messages that also name another owner.
func Who(signature, beside string) string {
	if signature != beside && Name(signature) == Name(beside) {
		return "another cluster " + Name(signature)
	}
	return "cluster " + Name(signature)
}

// Short returns the owner of a signature for messages that have already called it a cluster.
func Short(signature, beside string) string {
	if signature != beside && Name(signature) == Name(beside) {
		return "another " + Name(signature)
	}
	return Name(signature)
}

// Namesake reports whether a signature belongs to another owner with the name of the host's owner.
func Namesake(h module.Host, signature string) bool {
	return h.Owner() != "" && Name(signature) == h.Owner() && signature != Signature(h)
}

// LeftAlone returns the message that an object of another owner with the same name remains.
func LeftAlone(h module.Host, what string) string {
	return what + " is left alone: another cluster " + h.Owner() + " made it"
}

// separator is in no name and in no id.
const separator = "."

// Of returns the owner's mark of an object and whether there is one. Without kinds,
// a mark of any kind counts: a path has one owner, whichever module made it.
func Of(ctx context.Context, h module.Host, id string, kinds ...string) (module.Mark, bool, error) {
	marks, err := all(ctx, h, id, kinds)
	if err != nil || len(marks) == 0 {
		return module.Mark{}, false, err
	}
	return marks[0], true, nil
}

// all returns the owner's marks of an object, of one of the kinds or of any.
func all(ctx context.Context, h module.Host, id string, kinds []string) ([]module.Mark, error) {
	marks, err := h.Marks(ctx)
	if err != nil {
		return nil, fmt.Errorf("read the marks of %s: %w", h.Owner(), err)
	}
	var found []module.Mark
	for _, m := range marks {
		if m.ID == id && (len(kinds) == 0 || slices.Contains(kinds, m.Kind)) {
			found = append(found, m)
		}
	}
	return found, nil
}

// Ours reports whether an object that exists is the owner's: there is a mark, or nothing on the
// host has an owner.
func Ours(ctx context.Context, h module.Host, id string, kinds ...string) (bool, error) {
	if h.Owner() == "" {
		return true, nil
	}
	_, ours, err := Of(ctx, h, id, kinds...)
	return ours, err
}

// Free returns nil if the object may be replaced or removed: the owner has a
// mark of it, or the host belongs to no cluster. Otherwise the error says that the
// object is not the owner's, followed by the advice.
func Free(ctx context.Context, h module.Host, id, advice string, kinds ...string) error {
	ours, err := Ours(ctx, h, id, kinds...)
	if err != nil || ours {
		return err
	}
	return Foreign(h, id, advice, kinds...)
}

// Remove is the advice about a foreign object that the task would remove.
const Remove = "remove it yourself if nothing needs it"

// Foreign returns the error about an object that exists and is not the owner's.
func Foreign(h module.Host, id, advice string, kinds ...string) error {
	return NotOwned(h, module.Mark{ID: id}, id+" exists and", advice, kinds...)
}

// NotOwned returns the error about an object that is not the owner's. what says in which state it is, as in "/a exists and";
// another owner would have the mark, of one of the kinds or of any.
func NotOwned(h module.Host, mark module.Mark, what, advice string, kinds ...string) error {
	return &module.NotOwnedError{ID: mark.ID, Kinds: kinds, Text: what + " is not owned by cluster " + h.Owner(), Advice: advice}
}

// Unmarked follows the text of a NotOwnedError about an object that carries its owner's mark itself, and has none.
const Unmarked = " (it has no mark of kinit)"

// Signed returns what follows the text of a NotOwnedError about an object that carries its owner's signature itself.
func Signed(h module.Host, signature string) string {
	if signature == "" {
		return Unmarked
	}
	return " but by " + Short(signature, Signature(h))
}

// Keep records in a mark how an object was before the task changed it, as JSON.
func Keep(ctx context.Context, h module.Host, kind, id string, was any) error {
	prior, err := exactjson.Marshal(was)
	if err != nil {
		return err
	}
	return h.Own(ctx, module.Mark{Kind: kind, ID: id, Prior: string(prior)})
}

// Was reads how an object was before, as Keep recorded it. Without a value that is valid, the error names the
// object.
func Was[T any](mark module.Mark, object string, valid func(T) bool) (T, error) {
	var was T
	if err := exactjson.Unmarshal([]byte(mark.Prior), &was); err != nil || !valid(was) {
		return was, fmt.Errorf("the mark of %s does not say how it was: %q", object, mark.Prior)
	}
	return was, nil
}

// Undo undoes what a mark records, and removes the mark.
func Undo(ctx context.Context, h module.Host, mark module.Mark, undo func(context.Context, module.Host, module.Mark) error) error {
	if err := undo(ctx, h, mark); err != nil {
		return err
	}
	return h.Disown(ctx, mark)
}

// UndoStep returns the step of Undo.
func UndoStep(text string, mark module.Mark, undo func(context.Context, module.Host, module.Mark) error) []module.Step {
	return module.OneStep(text, func(ctx context.Context, h module.Host) error { return Undo(ctx, h, mark, undo) })
}

// Restore returns the step that undoes the owner's mark of an object, if there is one. prior reads how the
// object was, and text says what the step does with it.
func Restore[T any](ctx context.Context, h module.Host, id, kind string, prior func(module.Mark) (T, error),
	text func(was T) string, undo func(context.Context, module.Host, module.Mark) error) ([]module.Step, error) {
	mark, marked, err := Of(ctx, h, id, kind)
	if err != nil || !marked {
		return nil, err
	}
	was, err := prior(mark)
	if err != nil {
		return nil, err
	}
	return UndoStep(text(was), mark, undo), nil
}

// Release removes every mark of a deleted object, of one of the kinds or of
// any. A host without an owner has none.
func Release(ctx context.Context, h module.Host, id string, kinds ...string) error {
	if h.Owner() == "" {
		return nil
	}
	marks, err := all(ctx, h, id, kinds)
	if err != nil {
		return err
	}
	for _, m := range marks {
		if err := h.Disown(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

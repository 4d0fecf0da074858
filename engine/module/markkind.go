package module

import "context"

// MarkKind describes marks of one kind, and how to undo their objects when the owner is
// removed. A module lists its kinds of marks in its Kind.
type MarkKind struct {
	Name string // the Kind of the marks
	Noun string // in messages
	MarkTraits
	undo func(ctx context.Context, h Host, mark Mark) error
}

// MarkTraits are rare properties of kinds of marks.
type MarkTraits struct {
	// Shared is a setting of the host that another owner may rely on without a mark,
	// because it was already set.
	Shared bool
	// Folder is a folder that may contain foreign objects.
	Folder bool
	// LastResort is an object that another sweep removes if it finds it.
	LastResort bool
	// Data reports whether undoing the mark removes data that kinit has not written; nil means that it does not.
	Data func(ctx context.Context, h Host, mark Mark) (bool, error)
	// DataNoun is what such an object is in messages, by default the noun.
	DataNoun string
	// Refusal returns the reason why undoing the mark would be refused, so that a plan shows it; nil means that it never is.
	Refusal func(ctx context.Context, h Host, mark Mark) error
	// File is the path of the object, if that is written under a temporary name.
	File func(mark Mark) string
	// Text returns the dry-run line, by default "remove" and the object.
	Text func(mark Mark) string
}

// NewMarkKind returns a kind of marks. undo is repeated after an interrupt and must accept
// that nothing is left to do.
func NewMarkKind(name, noun string, undo func(ctx context.Context, h Host, mark Mark) error, traits MarkTraits) MarkKind {
	return MarkKind{Name: name, Noun: noun, MarkTraits: traits, undo: undo}
}

func (k MarkKind) Undo(ctx context.Context, h Host, mark Mark) error { return k.undo(ctx, h, mark) }

// Describe returns the dry-run line.
func (k MarkKind) Describe(mark Mark) string {
	if k.Text != nil {
		return k.Text(mark)
	}
	return "remove " + k.Noun + " " + mark.ID
}

// Restores returns the traits of an object of the host that is restored to its earlier
// state.
func Restores(noun string) MarkTraits {
	return MarkTraits{Shared: true, Text: func(mark Mark) string { return "bring " + noun + " " + mark.ID + " back to how it was" }}
}

// MarkedPath returns the path of marks whose ID is a path.
func MarkedPath(mark Mark) string { return mark.ID }

// MarkKinds returns the kinds of marks that modules make, each once.
func MarkKinds(kinds []Kind) []MarkKind {
	var all []MarkKind
	seen := map[string]bool{}
	for _, kind := range kinds {
		for _, marks := range kind.Marks {
			if !seen[marks.Name] {
				all = append(all, marks)
			}
			seen[marks.Name] = true
		}
	}
	return all
}

package sequences

import "slices"

// Shrink makes a failing sequence smaller, as long as fails says that it still fails: by leaving
// commands out, and by making them simpler.
func Shrink(s Sequence, fails func(Sequence) bool) Sequence {
	for changed := true; changed; {
		changed = false
		for i := len(s.Commands) - 1; i >= 0; i-- {
			less := Sequence{Seed: s.Seed, Follow: s.Follow, Commands: slices.Delete(slices.Clone(s.Commands), i, i+1)}
			if len(less.Commands) > 0 && fails(less) {
				s, changed = less, true
			}
		}
		for i := range s.Commands {
			for _, simpler := range s.Commands[i].Simpler() {
				less := Sequence{Seed: s.Seed, Follow: s.Follow, Commands: slices.Clone(s.Commands)}
				less.Commands[i] = simpler
				if fails(less) {
					s, changed = less, true
					break
				}
			}
		}
	}
	return s
}

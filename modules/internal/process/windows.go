package process

import "kinit/modules/internal/winpath"

// ValidateWindows is Validate for a program of a Windows host, with the paths of its
// conditions.
func (p Process) ValidateWindows(c Conditions) error {
	for _, path := range []struct{ argument, value string }{
		{"dir", p.Dir}, {"creates", c.Creates}, {"removes", c.Removes},
	} {
		if path.value == "" {
			continue
		}
		if err := winpath.Check(path.argument, path.value); err != nil {
			return err
		}
	}
	p.Dir = ""
	return p.Validate()
}

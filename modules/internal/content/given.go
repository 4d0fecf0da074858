package content

import (
	"errors"

	"kinit/engine/module"
	"kinit/engine/secret"
)

// Given is the arguments that define a file's content: content, content_secret
// and source.
type Given struct {
	Text   *string
	Secret *secret.Value
	File   string            // a path of this machine
	Files  module.LocalFiles // the files that File names
}

// Check returns the mistake of a present file with none or several of them, or of an absent
// file with several.
func (g Given) Check(state string) error {
	n := 0
	for _, is := range []bool{g.Text != nil, g.Secret != nil, g.File != ""} {
		if is {
			n++
		}
	}
	if state == "present" && n != 1 || n > 1 {
		return errors.New("want exactly one of content, content_secret and source")
	}
	return nil
}

// Hide registers a secret content with the run.
func (g Given) Hide(h module.Host) {
	if g.Secret != nil {
		h.AddSecret(*g.Secret)
	}
}

// Source returns the requested content.
func (g Given) Source() (Source, error) {
	switch {
	case g.Text != nil:
		return FromText([]byte(*g.Text)), nil
	case g.Secret != nil:
		return FromText([]byte(g.Secret.Reveal())), nil
	}
	return FromFile(g.Files, g.File)
}

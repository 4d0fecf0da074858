// Package pins lists the external artifacts of playbooks: the address of each,
// its version, and its required digest. It reads the list, looks up digests
// and writes lists. A list is also a file of values of variables: {"pins": {NAME: …}}.
package pins

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"kinit/engine/diag"
)

// Pin is an external artifact: an image of a registry, or a file at a URL.
type Pin struct {
	Used      string `json:"used,omitempty"`       // what needs it, in words
	Version   string `json:"version"`              // an image's tag
	Image     string `json:"image,omitempty"`      // an image's name without tag
	URL       string `json:"url,omitempty"`        // a file's address
	SHA256URL string `json:"sha256_url,omitempty"` // where the file's site publishes its sha256
	SHA512URL string `json:"sha512_url,omitempty"` // where the file's site publishes its sha512
	Digest    string `json:"digest,omitempty"`     // sha256: and 64 hexadecimal digits, or of a file sha512: and 128; empty when it is not pinned
}

// Reference is the artifact's address without a digest: an image with its tag, or a URL.
func (p Pin) Reference() string {
	if p.Image != "" {
		return p.Image + ":" + p.Version
	}
	return p.URL
}

// List is pins by their names.
type List map[string]Pin

// Names are the names in order.
func (l List) Names() []string { return slices.Sorted(maps.Keys(l)) }

// With returns a copy of the list with the other list's entries added or replaced.
func (l List) With(other List) List {
	all := maps.Clone(l)
	maps.Copy(all, other)
	return all
}

// Some are the pins of these names; without a name, all of them.
func (l List) Some(names []string) (List, error) {
	if len(names) == 0 {
		return maps.Clone(l), nil
	}
	some := List{}
	for _, name := range names {
		pin, ok := l[name]
		if !ok {
			return nil, fmt.Errorf("there is no pin %q.%s 'kinit pins' lists all", name, diag.Near(name, l.Names()))
		}
		some[name] = pin
	}
	return some, nil
}

// file is what a file of pins holds.
type file struct {
	Pins List `json:"pins"`
}

// Parse parses a list. An unknown field is an error, so that no typing mistake leaves
// an artifact without its digest.
func Parse(text []byte) (List, error) {
	var f file
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("it is no JSON of the form {\"pins\": {NAME: …}}: %w", err)
	}
	if decoder.More() {
		return nil, errors.New("there is more text after the list")
	}
	var wrong []error
	for _, name := range f.Pins.Names() {
		if err := f.Pins[name].check(); err != nil {
			wrong = append(wrong, fmt.Errorf("the pin %s %w", name, err))
		}
	}
	return f.Pins, errors.Join(wrong...)
}

// digestForm matches a digest, fileDigestForm that of a file.
var (
	digestForm     = regexp.MustCompile(`^sha256:[0-9a-f]{64}$`)
	fileDigestForm = regexp.MustCompile(`^(sha256:[0-9a-f]{64}|sha512:[0-9a-f]{128})$`)
)

func (p Pin) check() error {
	switch {
	case (p.Image == "") == (p.URL == ""):
		return errors.New("wants an image or a url, and not both")
	case p.Version == "" || p.Version == "latest":
		return fmt.Errorf("has the version %q, want one that stays what it is", p.Version)
	case p.Digest != "" && p.Image != "" && !digestForm.MatchString(p.Digest):
		return fmt.Errorf("has the digest %q, want sha256: and 64 hexadecimal digits", p.Digest)
	case p.Digest != "" && p.URL != "" && !fileDigestForm.MatchString(p.Digest):
		return fmt.Errorf("has the digest %q, want sha256: and 64 hexadecimal digits, or sha512: and 128", p.Digest)
	case p.Image != "" && strings.ContainsAny(p.Image, "@ "):
		return fmt.Errorf("has the image %q, want its name without tag and digest", p.Image)
	}
	return nil
}

// Text is the list as a file has it.
func (l List) Text() ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(file{l})
	return out.Bytes(), err
}

package host

import (
	"errors"
	"fmt"
	"os"
)

// overlap is how many bytes are read beyond a cut, so that no half of a secret remains.
const overlap = 64 << 10

// How often cut looks for another place, and how far away in bytes. The step is a number
// that the lengths of secrets do not divide.
const (
	tries = 61
	apart = 1021
)

// cut returns a place at or before near where no secret is cut in two: masking both sides
// separately gives the same text as masking them together. It is 0 in a text of only
// secrets.
func cut(text []byte, near int, redact func(string) string) int {
	whole := redact(string(text))
	for at := near; at > 0 && at > near-tries*apart; at -= apart {
		if redact(string(text[:at]))+redact(string(text[at:])) == whole {
			return at
		}
	}
	return 0
}

// spill writes an output that is too long to keep to a local file, with secrets masked. A
// nil spill writes nothing. where returns the error of a failed write.
type spill struct {
	folder, name string // name has a star for the unique part of the file name
	redact       func(string) string
	file         *os.File
	waiting      []byte // not written yet
	err          error
}

// begin creates the file, once, with the output so far.
func (s *spill) begin(parts ...[]byte) {
	if s == nil || s.file != nil || s.err != nil {
		return
	}
	if s.err = os.MkdirAll(s.folder, 0o700); s.err != nil {
		return
	}
	if s.file, s.err = os.CreateTemp(s.folder, s.name); s.err != nil {
		return
	}
	for _, part := range parts {
		s.add(part)
	}
}

// add writes more output after begin.
func (s *spill) add(b []byte) {
	if s == nil || s.file == nil || s.err != nil {
		return
	}
	s.waiting = append(s.waiting, b...)
	if len(s.waiting) < 4*overlap {
		return
	}
	at := cut(s.waiting, len(s.waiting)-overlap, s.redact)
	if at == 0 {
		at = len(s.waiting) - overlap
	}
	_, s.err = s.file.WriteString(s.redact(string(s.waiting[:at])))
	s.waiting = s.waiting[:copy(s.waiting, s.waiting[at:])]
}

func (s *spill) end() {
	if s == nil || s.file == nil {
		return
	}
	if s.err == nil {
		_, s.err = s.file.WriteString(s.redact(string(s.waiting)))
	}
	s.waiting = nil
	s.err = errors.Join(s.err, s.file.Close())
}

// where describes where the whole output is, after end.
func (s *spill) where() string {
	switch {
	case s == nil:
		return ""
	case s.err != nil:
		return fmt.Sprintf(", and not kept: %v", s.err)
	}
	return "; all of it is in " + s.file.Name()
}

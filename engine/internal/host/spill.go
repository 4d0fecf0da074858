package host

import (
	"errors"
	"fmt"
	"os"
)

// spill writes an output that is too long to be kept to a file of this machine, with
// secrets masked. A nil spill writes nothing. What fails is told where the file is named.
type spill struct {
	folder, name string // name with a star where the file's own part goes
	redact       func(string) string
	file         *os.File
	waiting      []byte // not written yet
	err          error
}

// newSpill returns nil where no folder is asked for.
func (b *bound) newSpill(stream string) *spill {
	if b.settings.Outputs == "" {
		return nil
	}
	return &spill{folder: b.settings.Outputs, name: b.escape(b.name) + "-*." + stream, redact: b.Redact}
}

// begin makes the file, once, of all that came so far.
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

// add writes what follows, once the file is begun.
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

// end writes the rest.
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

// where says where all of the output is, after end.
func (s *spill) where() string {
	switch {
	case s == nil:
		return ""
	case s.err != nil:
		return fmt.Sprintf(", and not kept: %v", s.err)
	}
	return "; all of it is in " + s.file.Name()
}

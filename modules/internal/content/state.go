package content

import (
	"context"
	"crypto/sha256"
	"fmt"
	"strings"

	"kinit/engine/module"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/ownership"
)

// hashHere is the size up to which a file is read over the connection to compare
// it; a larger one is hashed by a process on the host.
const hashHere = 1 << 20

// state is the current state of a path.
type state struct {
	exists bool
	info   module.FileInfo
	same   bool   // the content is the wanted one
	text   []byte // the content, if it was read and may be shown
	ours   bool   // there is a mark, or nothing on the host has an owner
	mark   module.Mark
}

// read looks at the path and compares it with the source.
func (f File) read(ctx context.Context, h module.Host) (state, error) {
	info, there, err := hostfile.Look(ctx, h, f.Path)
	if err != nil || !there {
		return state{}, err
	}
	s := state{exists: true, info: info}
	if info.Mode.IsDir() {
		return s, fmt.Errorf("%s is a folder, want a file or nothing there", f.Path)
	}
	if err := f.compare(ctx, h, &s); err != nil || s.same && !f.absent {
		return s, err
	}
	s.ours = h.Owner() == ""
	if s.ours {
		return s, nil
	}
	s.mark, s.ours, err = ownership.Of(ctx, h, f.Path)
	return s, err
}

// compare sets same, and text for a diff. A link is never the same: the file
// replaces it.
func (f File) compare(ctx context.Context, h module.Host, s *state) error {
	if f.absent || !s.info.Mode.IsRegular() {
		return nil
	}
	if s.info.Size == f.Source.Size && s.info.Size > hashHere {
		sum, err := Sum(ctx, h, "sha256", f.Path)
		s.same = sum == f.Source.SHA256
		return err
	}
	if s.info.Size != f.Source.Size && s.info.Size > DiffBytes {
		return nil
	}
	text, err := ReadAll(ctx, h, f.Path)
	if err != nil {
		return err
	}
	s.same = fmt.Sprintf("%x", sha256.Sum256(text)) == f.Source.SHA256
	s.text = text
	return nil
}

// ReadAll reads a small file of the host.
func ReadAll(ctx context.Context, h module.Host, path string) ([]byte, error) {
	return module.ReadFile(ctx, h.Files(), path)
}

// Sum is the checksum, in hex, of a file of the host, computed there. The
// algorithm is one of coreutils, such as sha256.
func Sum(ctx context.Context, h module.Host, algorithm, path string) (string, error) {
	out, err := h.Run(ctx, module.Command{Argv: []string{algorithm + "sum", "--", path}})
	if module.Exited(err, 127) {
		return "", fmt.Errorf("%ssum is not installed, it is in the package coreutils: %w", algorithm, err)
	}
	if err != nil {
		return "", err
	}
	// A name with a backslash or line end in it makes the line begin with one.
	sum, _, found := strings.Cut(strings.TrimPrefix(out.Stdout, `\`), " ")
	if !found {
		return "", fmt.Errorf("%ssum printed %q, want a checksum and the file's name", algorithm, out.Stdout)
	}
	return sum, nil
}

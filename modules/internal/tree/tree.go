// Package tree lists the content of a host's folder, and detects changes by a fingerprint.
//
// One command reads the whole tree, with GNU find. It does not read file contents: like
// rsync, it treats a file with the same size and modification time as unchanged.
package tree

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"kinit/engine/module"
)

// Entry is a file, folder or link in a tree.
type Entry struct {
	Path   string `json:"path"`             // below the tree's folder
	Type   string `json:"type"`             // "f", "d" or "l", in find's notation
	Mode   string `json:"mode"`             // octal permission bits
	UID    string `json:"uid"`              //
	GID    string `json:"gid"`              //
	Size   int64  `json:"size,omitempty"`   // bytes, of a file
	MTime  string `json:"mtime,omitempty"`  // seconds since 1970 with their fraction, of a file
	Target string `json:"target,omitempty"` // of a link
}

// fields is find's output for an entry, with a NUL after each field.
const fields = `%P\0%y\0%m\0%U\0%G\0%s\0%T@\0%l\0`

// fieldCount is the number of fields.
const fieldCount = 8

// List returns the content of a folder, by path. It omits sockets, pipes and devices,
// and everything at or below a match of an exclude pattern: a shell pattern
// for the path below the folder, whose * also matches slashes.
func List(ctx context.Context, h module.Host, folder string, exclude ...string) ([]Entry, error) {
	argv := []string{"find", folder, "-mindepth", "1"}
	for _, pattern := range exclude {
		argv = append(argv, "-path", path.Join(literal(folder), pattern), "-prune", "-o")
	}
	out, err := h.Run(ctx, module.Command{Argv: append(argv, "-printf", fields)})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return parse(out.Stdout)
}

var literals = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`)

// literal quotes the special characters of a shell pattern.
func literal(text string) string {
	return literals.Replace(text)
}

func parse(text string) ([]Entry, error) {
	all := strings.Split(text, "\x00")
	if all = all[:len(all)-1]; len(all)%fieldCount != 0 {
		return nil, fmt.Errorf("find printed %d fields, want %d for each entry: GNU find is needed", len(all), fieldCount)
	}
	var entries []Entry
	for f := range slices.Chunk(all, fieldCount) {
		e := Entry{Path: f[0], Type: f[1], Mode: f[2], UID: f[3], GID: f[4]}
		switch e.Type {
		case "f":
			size, err := strconv.ParseInt(f[5], 10, 64)
			if err != nil {
				return nil, fmt.Errorf("size of %s: %w", e.Path, err)
			}
			e.Size, e.MTime = size, f[6]
		case "l":
			e.Mode, e.Target = "", f[7] // a link's own mode means nothing
		case "d":
		default:
			continue
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b Entry) int { return cmp.Compare(a.Path, b.Path) })
	return entries, nil
}

// Fingerprint returns a hash, in hex, of all data of the entries.
func Fingerprint(entries []Entry) string {
	sum := sha256.New()
	for _, e := range entries {
		fmt.Fprintf(sum, "%q\n", []string{e.Path, e.Type, e.Mode, e.UID, e.GID, strconv.FormatInt(e.Size, 10), e.MTime, e.Target})
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// Names returns the paths of the entries, each with the text after it, as programs
// read lists of files.
func Names(entries []Entry, after string) string {
	var b strings.Builder
	for _, e := range entries {
		b.WriteString(e.Path + after)
	}
	return b.String()
}

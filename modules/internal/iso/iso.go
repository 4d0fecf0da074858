// Package iso makes small ISO 9660 images in memory: files in one folder, for
// media that configure a guest.
//
// The bytes depend only on the arguments, so that two images can be compared,
// and nothing is written to a disk meanwhile: the files can be secret. Libraries
// that were tried do neither, or change the names of the files.
//
// Linux and Windows can read the names through the Joliet extension, and
// Linux also without it, where long ones are shortened. Numbers in the code are those
// of ECMA-119 and of the Joliet specification.
package iso

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sector is the size of a logical block, in bytes.
const sector = 2048

// File is one file in the image.
type File struct {
	Name    string // up to 64 letters, digits, dots, hyphens and underscores
	Content []byte
}

// Image returns the image of a volume with a label of up to 16 characters.
func Image(label string, files []File) ([]byte, error) {
	if label == "" || len(label) > 16 {
		return nil, fmt.Errorf("label %q: expected 1 to 16 characters", label)
	}
	if err := check(files); err != nil {
		return nil, err
	}
	files = slices.Clone(files)
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(plainName(a), plainName(b)) })
	return newLayout(label, files).bytes(), nil
}

var validName = regexp.MustCompile(`^[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}$`)

// check refuses names that would have to be changed.
func check(files []File) error {
	seen := map[string]bool{}
	for _, f := range files {
		name := plainName(f)
		if !validName.MatchString(f.Name) || seen[name] {
			return fmt.Errorf("file name %q: expected up to 64 letters, digits, '.', '-' and '_', each name once", f.Name)
		}
		seen[name] = true
	}
	return nil
}

// The sectors of everything but the folders and the files.
const (
	plainVolume = 16 + iota // a volume descriptor for each tree and their end
	jolietVolume
	lastVolume
	plainTable // the path tables of a tree, little and big endian
	_
	jolietTable
	_
	firstFolder
)

// layout is the position of everything in the image.
type layout struct {
	label         string
	files         []File
	starts        []uint32 // the sectors of the files
	plain, joliet tree
	size          uint32 // of the whole image, in sectors
}

// newLayout places the folders and then the files one after another.
func newLayout(label string, files []File) layout {
	l := layout{label: label, files: files}
	plain := func(f File) []byte { return []byte(plainName(f)) }
	joliet := func(f File) []byte { return ucs2(f.Name) }
	l.plain = newTree(files, plain, firstFolder)
	l.joliet = newTree(files, joliet, l.plain.at+sectors(l.plain.length()))
	next := l.joliet.at + sectors(l.joliet.length())
	for _, f := range files {
		l.starts = append(l.starts, next)
		next += sectors(len(f.Content))
	}
	l.size = next
	return l
}

func sectors(bytes int) uint32 { return uint32((bytes + sector - 1) / sector) }

// bytes writes everything at its place.
func (l layout) bytes() []byte {
	image := make([]byte, int(l.size)*sector)
	put := func(at uint32, content []byte) { copy(image[int(at)*sector:], content) }
	put(plainVolume, l.descriptor(1, l.plain, plainTable))
	put(jolietVolume, l.descriptor(2, l.joliet, jolietTable))
	put(lastVolume, append([]byte{255}, "CD001\x01"...))
	put(plainTable, pathTable(binary.LittleEndian, l.plain.at))
	put(plainTable+1, pathTable(binary.BigEndian, l.plain.at))
	put(jolietTable, pathTable(binary.LittleEndian, l.joliet.at))
	put(jolietTable+1, pathTable(binary.BigEndian, l.joliet.at))
	put(l.plain.at, l.plain.folder(l.files, l.starts))
	put(l.joliet.at, l.joliet.folder(l.files, l.starts))
	for i, f := range l.files {
		put(l.starts[i], f.Content)
	}
	return image
}

package iso

import (
	"bytes"
	"encoding/binary"
	"slices"
	"unicode/utf16"
)

// tree is one of the two views of the same files.
type tree struct {
	names [][]byte // of the files
	order []int    // of the files, by name, as readers may expect it
	at    uint32   // the sector of its folder
}

func newTree(files []File, name func(File) []byte, at uint32) tree {
	t := tree{at: at}
	for i, f := range files {
		t.names = append(t.names, name(f))
		t.order = append(t.order, i)
	}
	slices.SortFunc(t.order, func(a, b int) int { return bytes.Compare(t.names[a], t.names[b]) })
	return t
}

// length is the size of the folder in bytes, a multiple of a sector.
func (t tree) length() int {
	size := 2 * len(record([]byte{0}, 0, 0, true))
	for _, i := range t.order {
		length := len(record(t.names[i], 0, 0, false))
		size += gap(size, length) + length
	}
	return int(sectors(size)) * sector
}

// gap is how far a record must move so that it does not cross a sector's end.
func gap(at, length int) int {
	if left := sector - at%sector; left < length {
		return left
	}
	return 0
}

// folder is the folder's content: itself, its parent, which is itself, and the
// files in the order of their names.
func (t tree) folder(files []File, starts []uint32) []byte {
	var b bytes.Buffer
	b.Write(record([]byte{0}, t.at, t.length(), true))
	b.Write(record([]byte{1}, t.at, t.length(), true))
	for _, i := range t.order {
		entry := record(t.names[i], starts[i], len(files[i].Content), false)
		b.Write(make([]byte, gap(b.Len(), len(entry))))
		b.Write(entry)
	}
	return b.Bytes()
}

// record is a directory record: a name, and the sector and size it stands for.
func record(name []byte, at uint32, size int, isFolder bool) []byte {
	flags := byte(0)
	if isFolder {
		flags = 2
	}
	rest := slices.Concat(
		[]byte{0}, both(at), both(uint32(size)),
		[]byte{80, 1, 1, 0, 0, 0, 0}, // 1 January 1980, as a date is needed
		[]byte{flags, 0, 0, 1, 0, 0, 1, byte(len(name))}, name,
	)
	if len(rest)%2 == 0 {
		rest = append(rest, 0)
	}
	return append([]byte{byte(len(rest) + 1)}, rest...)
}

func little(n uint32) []byte { return binary.LittleEndian.AppendUint32(nil, n) }
func big(n uint32) []byte    { return binary.BigEndian.AppendUint32(nil, n) }

// both is a number in both byte orders, as the format likes it.
func both(n uint32) []byte { return append(little(n), big(n)...) }

// ucs2 is a text in big-endian UCS-2.
func ucs2(text string) []byte {
	var b []byte
	for _, unit := range utf16.Encode([]rune(text)) {
		b = binary.BigEndian.AppendUint16(b, unit)
	}
	return b
}

// plainText fills a field with a text and spaces.
func plainText(text string, width int) []byte {
	return append([]byte(text), bytes.Repeat([]byte(" "), width-len(text))...)
}

// wideText is plainText in UCS-2; a byte that is left over is zero.
func wideText(text string, width int) []byte {
	field := ucs2(text)
	for len(field)+2 <= width {
		field = append(field, 0, ' ')
	}
	return append(field, make([]byte, width-len(field))...)
}

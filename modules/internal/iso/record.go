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

// pathTable lists the root folder, the only one, at a sector.
func pathTable(order binary.AppendByteOrder, at uint32) []byte {
	table := order.AppendUint32([]byte{1, 0}, at)
	return append(order.AppendUint16(table, 1), 0, 0) // its parent and its name
}

// descriptor describes a tree: kind 1 is the plain one, 2 Joliet.
func (l layout) descriptor(kind byte, t tree, table uint32) []byte {
	text, escape := plainText, make([]byte, 32)
	if kind == 2 {
		text = wideText
		copy(escape, "%/E") // UCS-2 level 3
	}
	var b bytes.Buffer
	b.Write([]byte{kind})
	b.WriteString("CD001\x01\x00")
	b.Write(text("", 32))
	b.Write(text(l.label, 32))
	b.Write(make([]byte, 8))
	b.Write(both(l.size))
	b.Write(escape)
	b.Write([]byte{1, 0, 0, 1, 1, 0, 0, 1})         // one volume, the first
	b.Write([]byte{0, sector >> 8, sector >> 8, 0}) // the size of a block
	b.Write(both(10))                               // the size of a path table
	b.Write(little(table))
	b.Write(make([]byte, 4))
	b.Write(big(table + 1))
	b.Write(make([]byte, 4))
	b.Write(record([]byte{0}, t.at, t.length(), true))
	for _, width := range []int{128, 128, 128, 128, 37, 37, 37} {
		b.Write(text("", width))
	}
	for range 4 {
		b.WriteString("0000000000000000\x00") // no date
	}
	b.WriteByte(1)
	return b.Bytes()
}

package iso

import (
	"bytes"
	"encoding/binary"
)

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

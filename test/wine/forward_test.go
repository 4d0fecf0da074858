package wine

import (
	"bytes"
	"encoding/binary"
)

// forwarding is a DLL for x64 that has no code and one function, which another DLL has under another name, such as
// "advapi32.SystemFunction036". Wine before version 9 lacks bcryptprimitives.dll, which every program
// that is written in Go asks for random bytes.
func forwarding(library, function, to string) []byte {
	const (
		page, sector = 0x1000, 0x200
		directory    = 40 // the size of the table of exports, which begins the only section
	)
	var b bytes.Buffer
	put := func(values ...any) {
		for _, v := range values {
			_ = binary.Write(&b, binary.LittleEndian, v) // to memory
		}
	}
	// The section: the table, one address, one name, one ordinal, and the texts.
	texts := []string{library, function, to}
	at := []uint32{page + directory + 4 + 4 + 2}
	for _, text := range texts {
		at = append(at, at[len(at)-1]+uint32(len(text))+1)
	}
	size := at[len(texts)] - page

	put([]byte("MZ"), make([]byte, 58), uint32(64), []byte("PE\x00\x00"))
	put(uint16(0x8664), uint16(1), uint32(0), uint32(0), uint32(0), uint16(240), uint16(0x2022)) // x64, one section, a DLL
	put(uint16(0x20b), uint16(0), uint32(0), size, uint32(0), uint32(0), uint32(0))
	put(uint64(0x180000000), uint32(page), uint32(sector), uint16(6), uint16(0), uint32(0), uint16(6), uint16(0), uint32(0))
	put(uint32(2*page), uint32(sector), uint32(0), uint16(2), uint16(0x100))
	put([4]uint64{1 << 20, 1 << 12, 1 << 20, 1 << 12}, uint32(0), uint32(16))
	put(uint32(page), size, [15]uint64{})
	put([8]byte{'.', 'e', 'd', 'a', 't', 'a'}, size, uint32(page), uint32(sector), uint32(sector), [3]uint32{}, uint32(0x40000040))
	put(make([]byte, sector-b.Len()))

	put(uint32(0), uint32(0), uint32(0), at[0], uint32(1), uint32(1), uint32(1), uint32(page+directory), uint32(page+directory+4), uint32(page+directory+8))
	put(at[2], at[1], uint16(0))
	for _, text := range texts {
		put([]byte(text), byte(0))
	}
	put(make([]byte, 2*sector-b.Len()))
	return b.Bytes()
}

package ovn

import (
	"bytes"
	"errors"
)

// What libovsdb takes of memory, in bytes, for what a server sends, as measured: for each byte, for each value and for each
// object, of which a row has two. mostTaken is about 10,000 logical ports.
const (
	takenByByte   = 3
	takenByValue  = 150
	takenByObject = 1000
	mostTaken     = 48 << 20
)

// errTooMuch is the error of a server that would fill the memory.
var errTooMuch = errors.New("the server sends more rows than kinit reads: it reads about 10,000 ports or interfaces of one database")

// allowance counts what a server sends for one replica. It fails when the memory for that would exceed mostTaken.
type allowance struct{ taken int }

func (a *allowance) Write(text []byte) (int, error) {
	a.taken += takenByByte*len(text) + takenByValue*bytes.Count(text, []byte(",")) + takenByObject*bytes.Count(text, []byte("{"))
	if a.taken > mostTaken {
		return 0, errTooMuch
	}
	return len(text), nil
}

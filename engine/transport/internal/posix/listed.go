package posix

import (
	"errors"

	"kinit/engine/module"
)

// MostListed is the most memory, in bytes, that the entries of a folder may take: some
// 45,000 files. No host can fill the memory by names.
const MostListed = 8 << 20

// EntrySize is about what an entry of a folder takes, in bytes, without its name.
const EntrySize = 160

// ErrTooMany is the error of ReadDir for a folder with more entries than MostListed allows.
// The entries before come with it.
var ErrTooMany = errors.New("the folder has more entries than kinit lists, about 45,000: move some to other folders, or use a command such as find")

// Size returns what entries take in memory, in bytes.
func Size(infos []module.FileInfo) int {
	all := 0
	for _, info := range infos {
		all += EntrySize + len(info.Name)
	}
	return all
}

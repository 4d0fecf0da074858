package module

import (
	"crypto/rand"
	"path"
	"regexp"
	"strings"
)

// longestBase is how much of a file's name its temporary names keep, in bytes, so that
// the whole fits the 255 of a file system.
const longestBase = 200

// TemporaryName returns a hidden name in the folder of a file that nothing else uses, for
// the file's new content until that is complete. For a temporary name it returns another
// one of the same file. A killed program leaves such a file; IsTemporaryName finds it.
func TemporaryName(name string) string {
	return path.Join(path.Dir(name), temporaryPrefix(path.Base(name))+rand.Text())
}

// IsTemporaryName reports whether an entry of a file's folder is a temporary name of the file.
func IsTemporaryName(entry, name string) bool {
	return temporaryName.MatchString(entry) && temporaryPrefix(entry) == temporaryPrefix(path.Base(name))
}

// temporaryName matches a temporary name; its group is all but the text of
// crypto/rand.Text: 26 characters of base32 (RFC 4648).
var temporaryName = regexp.MustCompile(`^(\..+\.kinit-)[A-Z2-7]{26}$`)

// temporaryPrefix returns the common prefix of the temporary names of a file.
func temporaryPrefix(base string) string {
	if match := temporaryName.FindStringSubmatch(base); match != nil {
		return match[1]
	}
	if len(base) > longestBase {
		base = strings.ToValidUTF8(base[:longestBase], "")
	}
	return "." + base + ".kinit-"
}

// The folders of a host in which kinit keeps what it needs of its own, on Linux and on
// Windows.
const (
	StateFolder        = "/var/lib/kinit"
	WindowsStateFolder = "C:/ProgramData/kinit"
)

// The folders below them with a folder for each owner, which has its marks.
const (
	Manifests        = StateFolder + "/clusters"
	WindowsManifests = WindowsStateFolder + "/clusters"
)

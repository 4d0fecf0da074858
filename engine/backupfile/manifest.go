// Package backupfile is the form of a backup: a tar archive, encrypted with age. Its last entry is
// the manifest, which has the checksum of each entry before it. Anyone who has the key reads it with age and
// tar alone: age --decrypt --identity KEYFILE FILE | tar --extract.
package backupfile

import (
	"fmt"
	"path"
	"strings"
	"time"
)

// manifestName is the name of the manifest's entry.
const manifestName = "manifest.json"

// version is the version of the form.
const version = 1

// Manifest says what a backup has.
type Manifest struct {
	Version  int               `json:"version"`
	ID       string            `json:"id"`       // of the backup, by chance
	Owner    string            `json:"owner"`    // whose it is, such as the cluster's name
	Instance string            `json:"instance"` // of the owner
	Made     time.Time         `json:"made"`
	Program  string            `json:"program"` // the version of the program that made it
	About    map[string]string `json:"about"`   // what a playbook says of it
	Parts    []Part            `json:"parts"`   // in the order of the archive
}

// Part is an entry of the archive.
type Part struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"` // bytes
	SHA256 string `json:"sha256"`
}

func (m Manifest) check() error {
	if m.Version != version {
		return fmt.Errorf("the backup has the version %d, and this kinit reads version %d", m.Version, version)
	}
	if m.ID == "" || m.Owner == "" {
		return fmt.Errorf("its manifest lacks an id or an owner")
	}
	return nil
}

// checkName refuses names that are no paths within a folder.
func checkName(name string) error {
	if name == "" || name == manifestName || path.IsAbs(name) || path.Clean(name) != name || name == "." || strings.HasPrefix(name, "..") {
		return fmt.Errorf("a part cannot be named %q", name)
	}
	return nil
}

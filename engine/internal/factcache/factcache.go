// Package factcache keeps what tasks have read of hosts, for later runs. The task decides how
// old a value may be.
package factcache

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/zclconf/go-cty/cty"
	ctyjson "github.com/zclconf/go-cty/cty/json"

	"kinit/engine/atomicfile"
)

// version is the format of the files; files of another version are ignored.
const version = 1

// Store is a folder that only its owner can read, with a file for each stored value. An
// empty Folder keeps nothing.
type Store struct {
	Folder string
	Redact func(text string) string // a text that it would change contains a secret and is not kept
}

// Key identifies a stored value. Each Name has one value, which is valid as long as From is
// the same.
type Key struct {
	Name string // the host, the module and its arguments
	From string // how the host is reached, and its keys
}

// entry is a file.
type entry struct {
	Version int                        `json:"version"`
	From    string                     `json:"from"`
	Read    time.Time                  `json:"read"`
	Values  map[string]json.RawMessage `json:"values"`
}

func (s Store) path(name string) string {
	sum := sha256.Sum256([]byte(name))
	return filepath.Join(s.Folder, hex.EncodeToString(sum[:])+".json")
}

// Get returns values that are not older than maxAge, and when they were read. A file
// that cannot be understood is as if it were not there.
func (s Store) Get(k Key, types map[string]cty.Type, maxAge time.Duration) (map[string]cty.Value, time.Time, bool) {
	if s.Folder == "" {
		return nil, time.Time{}, false
	}
	text, err := os.ReadFile(s.path(k.Name))
	var e entry
	if err != nil || json.Unmarshal(text, &e) != nil || e.Version != version || e.From != k.From {
		return nil, time.Time{}, false
	}
	age := time.Since(e.Read)
	if age < 0 || age > maxAge || len(e.Values) != len(types) {
		return nil, time.Time{}, false
	}
	values := map[string]cty.Value{}
	for name, kind := range types {
		value, err := ctyjson.Unmarshal(e.Values[name], kind)
		if err != nil {
			return nil, time.Time{}, false
		}
		values[name] = value
	}
	return values, e.Read, true
}

// Put keeps values that were read now, in place of older ones.
func (s Store) Put(k Key, values map[string]cty.Value) error {
	if s.Folder == "" {
		return nil
	}
	e := entry{Version: version, From: k.From, Read: time.Now().UTC(), Values: map[string]json.RawMessage{}}
	for name, value := range values {
		text, err := ctyjson.Marshal(value, value.Type())
		if err != nil {
			return err
		}
		e.Values[name] = text
	}
	text, err := json.Marshal(e)
	if err != nil || s.Redact != nil && s.Redact(string(text)) != string(text) {
		return errors.Join(err, s.forget(k))
	}
	if err := os.MkdirAll(s.Folder, 0o700); err != nil {
		return err
	}
	return atomicfile.Write(s.path(k.Name), 0o600, atomicfile.Bytes(text))
}

func (s Store) forget(k Key) error {
	if err := os.Remove(s.path(k.Name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

package posix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"
)

// largestTable is the most, in bytes, that is read of /etc/passwd or /etc/group.
const largestTable = 8 << 20

// table is the names and numbers of one account file, read when first needed, and again if
// a name is missing and the file has changed.
type table struct {
	path string
	what string // user or group, for messages

	mu     sync.Mutex
	loaded bool
	size   int64
	mtime  time.Time
	ids    map[string]uint32
	names  map[uint32]string
}

// name returns the name of an id, or the number as text without one.
func (t *table) name(ctx context.Context, fs FS, id uint32) (string, error) {
	if t.path == "" {
		return "", nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if name, ok := t.names[id]; ok {
		return name, nil
	}
	if err := t.refresh(ctx, fs); err != nil {
		return "", err
	}
	if name, ok := t.names[id]; ok {
		return name, nil
	}
	return strconv.FormatUint(uint64(id), 10), nil
}

// id returns the number of a name, or parses the text as a number.
func (t *table) id(ctx context.Context, fs FS, name string) (uint32, error) {
	if t.path == "" {
		return 0, fmt.Errorf("the machine has no %s %q with a number", t.what, name)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if id, ok := t.ids[name]; ok {
		return id, nil
	}
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		return uint32(id), nil
	}
	if err := t.refresh(ctx, fs); err != nil {
		return 0, err
	}
	if id, ok := t.ids[name]; ok {
		return id, nil
	}
	return 0, fmt.Errorf("there is no %s %q in %s", t.what, name, t.path)
}

// refresh reads the file if it has changed. A machine without the file has no names.
func (t *table) refresh(ctx context.Context, files FS) error {
	info, err := files.Stat(ctx, t.path, true)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look up %s names: %w", t.what, err)
	}
	if t.loaded && info.Size == t.size && info.MTime.Equal(t.mtime) {
		return nil
	}
	text, err := read(ctx, files, t.path)
	if err != nil {
		return fmt.Errorf("look up %s names: %w", t.what, err)
	}
	t.ids, t.names = parse(text)
	t.loaded, t.size, t.mtime = true, info.Size, info.MTime
	return nil
}

func read(ctx context.Context, files FS, name string) (string, error) {
	file, err := files.Open(ctx, name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, largestTable))
	return string(text), err
}

// parse reads lines such as name:x:1000:…, as both passwd(5) and group(5) have them. If a
// name or a number appears twice, the first counts, as in libc.
func parse(text string) (map[string]uint32, map[uint32]string) {
	ids, names := map[string]uint32{}, map[uint32]string{}
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), ":")
		if len(fields) < 3 || fields[0] == "" {
			continue
		}
		id, err := strconv.ParseUint(fields[2], 10, 32)
		if err != nil {
			continue
		}
		if _, ok := ids[fields[0]]; !ok {
			ids[fields[0]] = uint32(id)
		}
		if _, ok := names[uint32(id)]; !ok {
			names[uint32(id)] = fields[0]
		}
	}
	return ids, names
}

package site

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"kinit/engine/filelock"
)

// lockFile is held by the program that writes the site. It is never removed: two programs
// could hold two files of one name.
const lockFile = ".kinit-site.lock"

// patience is how long a program waits for another one, which takes seconds.
const patience = time.Minute

// lock makes the folder of a site and holds it. Without this, of two programs the one that
// has read the results earlier would remove the pages that only the other knows. Others may
// copy the folder, so they may read the file.
func lock(out string) (release func() error, err error) {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return nil, fmt.Errorf("make the folder of the site: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(out, lockFile), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open the lock of the site: %w", err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := filelock.Take(ctx, file, nil); err != nil {
		return nil, errors.Join(fmt.Errorf("lock %s, which another program may be writing: %w", file.Name(), err), file.Close())
	}
	return file.Close, nil
}

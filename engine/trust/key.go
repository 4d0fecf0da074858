package trust

import (
	"os"
)

// Key checks a file with a private key, as ssh does: if it belongs to the user, no other user may have any
// right to it. The error for a missing file is nil.
func Key(path string) error {
	s, err := statusOf(path)
	if err != nil || !s.there || !s.mode.IsRegular() {
		return err
	}
	if s.uid == os.Geteuid() && s.mode.Perm()&0o077 != 0 {
		return refuse("the private key %s is open to other users (mode %04o). Run 'chmod 600 %s'; make a new key if others may have read this one",
			path, s.mode.Perm(), path)
	}
	return nil
}

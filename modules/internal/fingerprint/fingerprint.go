// Package fingerprint makes one short text of several, to tell later whether one of
// them has changed.
package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Of is the fingerprint of the parts in their order: a SHA-256 in hex. Other parts have
// another one, also where they make the same text together.
func Of(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

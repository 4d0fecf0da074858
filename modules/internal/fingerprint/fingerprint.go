// Package fingerprint combines several texts into one hash that shows whether one of
// them has changed.
package fingerprint

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// Of returns the fingerprint of the parts in their order: a SHA-256 in hex. Different parts
// have different fingerprints, even if their concatenation is the same.
func Of(parts ...string) string {
	sum := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(sum, "%d %s", len(part), part)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

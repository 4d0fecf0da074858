// Package size reads and writes numbers of bytes, such as "25GiB".
package size

import (
	"fmt"
	"math/big"
	"regexp"
	"strings"
)

var pattern = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([KMGT]?)(i?)B$`)

// prefixes are those of units, by their power.
const prefixes = " KMGT"

// Parse returns the bytes of a size such as "512MiB", "1.5GiB" or "20GB": a whole number of
// bytes above zero. With an i a unit is a power of 1024, else of 1000.
func Parse(text string) (int64, error) {
	parts := pattern.FindStringSubmatch(text)
	if parts == nil || parts[2] == "" && parts[3] != "" {
		return 0, fmt.Errorf("%q is not a number with a unit such as MiB, GiB or GB", text)
	}
	number, _ := new(big.Rat).SetString(parts[1])
	base := big.NewRat(1000, 1)
	if parts[3] != "" {
		base.SetInt64(1024)
	}
	for range strings.Index(prefixes, parts[2]) {
		number.Mul(number, base)
	}
	if !number.IsInt() || !number.Num().IsInt64() || number.Sign() == 0 {
		return 0, fmt.Errorf("%q is no whole number of bytes above 0", text)
	}
	return number.Num().Int64(), nil
}

// Format returns the size in the largest binary unit that shows it as a whole number, or in
// bytes.
func Format(bytes int64) string {
	for power := len(prefixes) - 1; power > 0; power-- {
		if unit := int64(1) << (10 * power); bytes >= unit && bytes%unit == 0 {
			return fmt.Sprintf("%d%ciB", bytes/unit, prefixes[power])
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

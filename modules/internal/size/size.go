// Package size reads sizes such as "25GiB".
package size

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// units are the accepted endings with their bytes.
var units = map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40}

// Parse returns the bytes of a whole number above zero with a binary unit.
func Parse(text string) (int64, error) {
	for unit, factor := range units {
		digits, found := strings.CutSuffix(text, unit)
		if !found {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n <= 0 || n > math.MaxInt64/factor {
			return 0, wrong(text)
		}
		return n * factor, nil
	}
	return 0, wrong(text)
}

func wrong(text string) error {
	return fmt.Errorf("%q is no size: expected a whole number above zero with KiB, MiB, GiB or TiB, such as \"25GiB\"", text)
}

// Format returns the size in the largest unit that shows it as a whole number,
// or in bytes.
func Format(bytes int64) string {
	for _, unit := range []string{"TiB", "GiB", "MiB", "KiB"} {
		factor := units[unit]
		if bytes >= factor && bytes%factor == 0 {
			return fmt.Sprintf("%d%s", bytes/factor, unit)
		}
	}
	return fmt.Sprintf("%d bytes", bytes)
}

package soap

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// ParseDuration reads an xs:duration without years and months, which have no fixed
// length, that is not negative.
func ParseDuration(text string) (time.Duration, bool) {
	pattern := regexp.MustCompile(`^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$`)
	parts := pattern.FindStringSubmatch(strings.TrimSpace(text))
	if parts == nil || strings.Join(parts[1:], "") == "" {
		return 0, false
	}
	var total float64
	for i, unit := range []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second} {
		if parts[i+1] == "" {
			continue
		}
		n, err := strconv.ParseFloat(parts[i+1], 64)
		if err != nil {
			return 0, false
		}
		total += n * float64(unit)
	}
	if total > float64(1<<62) {
		return 0, false
	}
	return time.Duration(total), true
}

// FormatDuration writes a duration as Windows does, in seconds with three places.
func FormatDuration(d time.Duration) string { return fmt.Sprintf("PT%.3fS", d.Seconds()) }

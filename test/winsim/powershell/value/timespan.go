package value

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// TimeSpan is a System.TimeSpan, in ticks of 100 ns.
type TimeSpan int64

// Duration is a TimeSpan as a duration.
func (s TimeSpan) Duration() time.Duration { return time.Duration(s) * 100 }

// Seconds are the whole of it in seconds.
func (s TimeSpan) Seconds() float64 { return float64(s) / float64(ticksPerSecond) }

// FromSeconds is a number of seconds, rounded to milliseconds as .NET Framework does.
func FromSeconds(seconds float64) TimeSpan {
	return TimeSpan(math.Round(seconds*1000)) * TimeSpan(ticksPerSecond/1000)
}

// String is the text [-][d.]hh:mm:ss[.fffffff].
func (s TimeSpan) String() string {
	minus := ""
	ticks := int64(s)
	if ticks < 0 {
		minus, ticks = "-", -ticks
	}
	seconds, rest := ticks/ticksPerSecond, ticks%ticksPerSecond
	days := ""
	if d := seconds / 86400; d > 0 {
		days = strconv.FormatInt(d, 10) + "."
	}
	text := fmt.Sprintf("%s%s%02d:%02d:%02d", minus, days, seconds/3600%24, seconds/60%60, seconds%60)
	if rest > 0 {
		text += fmt.Sprintf(".%07d", rest)
	}
	return text
}

func convertSpan(v any) (any, error) {
	switch s := Base(v).(type) {
	case TimeSpan:
		return s, nil
	case string:
		return ParseSpan(s)
	}
	if n, ok := Integer(Base(v)); ok {
		return TimeSpan(n), nil
	}
	return nil, cannot(v, "System.TimeSpan")
}

// ParseSpan is the text [-][d.]hh:mm[:ss[.fffffff]] or a number of days as a TimeSpan.
func ParseSpan(text string) (any, error) {
	bad := cannotParse(text, "System.TimeSpan", "String was not recognized as a valid TimeSpan.")
	rest := strings.TrimSpace(text)
	rest, negative := strings.CutPrefix(rest, "-")
	parts := strings.Split(rest, ":")
	days := int64(0)
	if day, hours, ok := strings.Cut(parts[0], "."); ok || len(parts) == 1 {
		n, err := strconv.ParseInt(day, 10, 32)
		if err != nil || ok && len(parts) == 1 {
			return nil, bad
		}
		days, parts[0] = n, hours
	}
	if len(parts) > 3 {
		return nil, bad
	}
	total := days * 86400 * ticksPerSecond
	for i, unit := range []int64{3600, 60, 1} {
		if i >= len(parts) || len(parts) == 1 {
			break
		}
		ticks, ok := spanPart(parts[i], unit)
		if !ok {
			return nil, bad
		}
		total += ticks
	}
	if negative {
		total = -total
	}
	return TimeSpan(total), nil
}

func spanPart(text string, unit int64) (int64, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	n, err := strconv.ParseInt(whole, 10, 32)
	most := int64(60)
	if unit == 3600 {
		most = 24
	}
	if err != nil || n < 0 || n >= most || len(fraction) > 7 || fraction != "" && unit != 1 {
		return 0, false
	}
	ticks := n * unit * ticksPerSecond
	if fraction == "" {
		return ticks, true
	}
	f, err := strconv.ParseInt((fraction + "0000000")[:7], 10, 64)
	return ticks + f, err == nil
}

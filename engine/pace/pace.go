// Package pace measures how fast machines are, and stretches time limits by that.
//
// A limit is meant for a machine of ordinary speed. On one that is emulated, or busy with
// other work, everything takes longer, so the limit is multiplied by the measured ratio.
package pace

import (
	_ "embed" // the script
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

const (
	// Ordinary is the pace of a machine of ordinary speed, and of all that are faster.
	Ordinary = 1.0
	// Most is the highest factor for a limit: a hanging operation must end some time.
	Most = 10.0
	// part is how long a machine of ordinary speed takes for one part of the script.
	part = 4 * time.Millisecond
)

//go:embed measure.sh
var script string

// Script is for a POSIX shell. It takes 0.1 s on a machine of ordinary speed, some 3 s at
// most on a slow one, and prints a line for Parse.
func Script() string { return script }

// Parse finds the line of the script in an output and returns how many times slower than an
// ordinary machine it ran, with one decimal; at least Ordinary. It returns 0 without such a
// line: the machine lacks the clock of Linux.
func Parse(output string) float64 {
	for line := range strings.Lines(output) {
		words := strings.Fields(line)
		if len(words) != 4 || words[0] != "pace" {
			continue
		}
		begin, err1 := strconv.ParseFloat(words[1], 64)
		end, err2 := strconv.ParseFloat(words[2], 64)
		parts, err3 := strconv.ParseFloat(words[3], 64)
		if err1 != nil || err2 != nil || err3 != nil || parts < 1 || end < begin {
			continue
		}
		return max(Ordinary, math.Round(10*(end-begin)/(parts*part.Seconds()))/10)
	}
	return 0
}

// Stretch returns a limit for a machine of the pace, at most Most times as long. Above a
// second it is rounded to whole seconds.
func Stretch(limit time.Duration, pace float64) time.Duration {
	factor := min(max(pace, Ordinary), Most)
	if factor == Ordinary || math.IsNaN(factor) {
		return limit
	}
	long := float64(limit) * factor
	if long >= math.MaxInt64 {
		return math.MaxInt64
	}
	if long := time.Duration(long); long < time.Second {
		return long
	}
	return time.Duration(long).Round(time.Second)
}

// Text formats a limit for people: its length on a machine of the pace, and the reason.
func Text(limit time.Duration, pace float64) string {
	long := Stretch(limit, pace)
	if long == limit {
		return limit.String()
	}
	return fmt.Sprintf("%s (%s on a machine of ordinary speed; this one is %s times slower)", long, limit,
		strconv.FormatFloat(pace, 'f', -1, 64))
}

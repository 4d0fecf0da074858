package view

import (
	"fmt"
	"time"
)

// Seconds shows a duration as people read it, in at most six columns up to 99 hours:
// 0.3s, 12.3s, 1m02s, 2h05m.
func Seconds(d time.Duration) string {
	d = max(0, d)
	if tenths := d.Round(100 * time.Millisecond); tenths < time.Minute {
		return fmt.Sprintf("%.1fs", tenths.Seconds())
	}
	d = d.Round(time.Second)
	if d < time.Hour {
		return fmt.Sprintf("%dm%02ds", d/time.Minute, d%time.Minute/time.Second)
	}
	d = d.Round(time.Minute)
	return fmt.Sprintf("%dh%02dm", d/time.Hour, d%time.Hour/time.Minute)
}

// Every calls a function at an interval until stop is closed.
func Every(stop <-chan struct{}, interval time.Duration, f func()) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
			f()
		}
	}
}

// Count shows a number with its noun, of which the plural ends in s.
func Count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// eta shows how many seconds are left, no more exactly than it is known.
func eta(left int64) string {
	if left < 60 {
		return fmt.Sprintf("%ds", left)
	}
	return Seconds(time.Duration(left) * time.Second)
}

// size shows a number of bytes with a binary unit: 512 B, 1.5 KiB, 266.1 MiB.
func size(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	value, units := float64(n)/1024, "KMGTPE"
	unit := 0
	for value >= 999.95 && unit < len(units)-1 {
		value /= 1024
		unit++
	}
	return fmt.Sprintf("%.1f %ciB", value, units[unit])
}

package winrm

import "time"

// WithTimes returns the config with other times than minutes, for tests.
func WithTimes(c Config, poll, answer, outage time.Duration) Config {
	c.poll, c.answer, c.Outage = poll, answer, outage
	return c
}

// The limits that tests count against.
const (
	MostCommands = mostCommands
	MostShells   = mostShells
	LargestSend  = largestSend
)

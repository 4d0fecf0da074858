package winrm

import "sync/atomic"

// The limits, in bytes, of the data in one Send. The largest leaves room for the rest of
// the message: base64 makes four bytes of three.
const (
	largestSend  = (largestEnvelope - 8<<10) / 4 * 3
	smallestSend = 4 << 10
)

// size is the limit of the data in one Send, as far as known.
type size struct{ less atomic.Int64 }

// blockSize returns the limit of the data in one Send.
func (c *client) blockSize() int { return largestSend - int(c.size.less.Load()) }

// shrink lowers the limit after a Send that was too large.
func (c *client) shrink(tried int) {
	next := max(tried/2, smallestSend)
	for {
		less := c.size.less.Load()
		if largestSend-int(less) <= next || c.size.less.CompareAndSwap(less, int64(largestSend-next)) {
			return
		}
	}
}

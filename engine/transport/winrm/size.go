package winrm

import "sync/atomic"

// How much, in bytes, one Send carries. The largest leaves room for the message
// around it: base64 makes four bytes of three.
const (
	largestSend  = (largestEnvelope - 8<<10) / 4 * 3
	smallestSend = 4 << 10
)

// size is how much one Send may carry, as far as known.
type size struct{ less atomic.Int64 }

// blockSize is how much one Send may carry.
func (c *client) blockSize() int { return largestSend - int(c.size.less.Load()) }

// shrink notes that a Send was too large.
func (c *client) shrink(tried int) {
	next := max(tried/2, smallestSend)
	for {
		less := c.size.less.Load()
		if largestSend-int(less) <= next || c.size.less.CompareAndSwap(less, int64(largestSend-next)) {
			return
		}
	}
}

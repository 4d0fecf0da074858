package host

import (
	"errors"
	"fmt"
)

// How much is kept of one output, in bytes. The limits bound the memory of a run.
const (
	mostHead = 256 << 10 // the beginning of a long output
	mostTail = 768 << 10 // the end of a long output
	mostRead = 8 << 20   // an output that a module reads and needs whole
)

// errLong ends a command whose output is to be read and is too long.
var errLong = errors.New("it printed more than " + fmt.Sprint(mostRead>>20) + " MiB, which no module reads")

// capture keeps an output: all of it, or its beginning and its end.
type capture struct {
	whole bool // an output over the limit is an error
	head  []byte
	tail  []byte // begins where head ends, or later if something was left out
	all   int64  // bytes written
	spill *spill // takes the whole output once something is left out; may be nil
}

func (c *capture) Write(b []byte) (int, error) {
	n := len(b)
	c.all += int64(n)
	if c.whole {
		if c.all > mostRead {
			return 0, errLong
		}
		c.head = append(c.head, b...)
		return n, nil
	}
	if room := mostHead + overlap - len(c.head); room > 0 {
		now := min(room, len(b))
		c.head, b = append(c.head, b[:now]...), b[now:]
	}
	c.tail = append(c.tail, b...)
	c.spill.add(b)
	if len(c.tail) > 2*(mostTail+overlap) {
		c.spill.begin(c.head, c.tail)
		c.tail = c.tail[:copy(c.tail, c.tail[len(c.tail)-mostTail-overlap:])]
	}
	return n, nil
}

// end returns the text after the last write.
func (c *capture) end(redact func(string) string) string {
	c.spill.end()
	return c.text(redact)
}

// text returns the kept output. If something was left out, it states how much, and where
// the whole output is. It masks secrets then, since a cut could leave half of one.
func (c *capture) text(redact func(string) string) string {
	if c.all == int64(len(c.head)+len(c.tail)) {
		return string(c.head) + string(c.tail)
	}
	first, last := cut(c.head, mostHead, redact), cut(c.tail, len(c.tail)-mostTail, redact)
	if last == 0 {
		last = len(c.tail)
	}
	left := c.all - int64(first) - int64(len(c.tail)-last)
	return redact(string(c.head[:first])) + fmt.Sprintf("\n… %d bytes left out%s …\n", left, c.spill.where()) + redact(string(c.tail[last:]))
}

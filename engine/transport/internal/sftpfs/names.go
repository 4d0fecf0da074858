package sftpfs

import (
	"bufio"
	"encoding/binary"
	"io"
	"sync"

	"kinit/engine/transport/internal/posix"
)

// The types of packets that matter here, and the codes of a failure, from
// draft-ietf-secsh-filexfer-02.
const (
	packetClose   = 4
	packetReaddir = 12
	packetStatus  = 101
	packetName    = 104

	// statusTooMany is the code of the answer that replaces names which are too many. Servers
	// have no use for it.
	statusTooMany = 0x7f4b494e
)

// longestPacket is the most, in bytes, that the client library accepts as a packet.
const longestPacket = 256 << 10

// flags of attributes in a packet.
const (
	hasSize     = 1
	hasOwner    = 2
	hasMode     = 4
	hasTimes    = 8
	hasExtended = 1 << 31
)

// names limits the names that a server lists. The client library collects all names of a
// folder, so the answer that has too many of them is replaced by an error before the library
// sees it: a server cannot fill the memory. The library's other answers are one packet each.
type names struct {
	mu      sync.Mutex
	asked   map[uint32]string // the handles of requests for names without an answer, by their numbers
	held    map[string]int    // what the names of a handle take in memory, in bytes
	payload int               // what is left of a request that is being written
}

func newNames() *names { return &names{asked: map[uint32]string{}, held: map[string]int{}} }

// requests is the way to the server.
type requests struct {
	io.WriteCloser
	names *names
}

// Write sees the requests for names. The library writes the head of a packet, with all but
// the data of a file, in one call.
func (r requests) Write(p []byte) (int, error) {
	r.names.request(p)
	return r.WriteCloser.Write(p)
}

func (n *names) request(p []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.payload > 0 || len(p) < 9 {
		n.payload -= min(len(p), n.payload)
		return
	}
	n.payload = max(4+int(binary.BigEndian.Uint32(p))-len(p), 0)
	handle, _, ok := text(p[9:])
	if !ok {
		return
	}
	switch p[4] {
	case packetReaddir:
		n.asked[binary.BigEndian.Uint32(p[5:])] = string(handle)
	case packetClose:
		delete(n.held, string(handle))
	}
}

// answered notes the answer to a request, and returns its handle if it was for names.
func (n *names) answered(id uint32) (handle string, listing bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	handle, listing = n.asked[id]
	delete(n.asked, id)
	return handle, listing
}

// hold adds names to those of a handle. It returns false if they are too many, or those of all
// handles together more than twice as many.
func (n *names) hold(handle string, bytes int) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held[handle] += bytes
	all := 0
	for _, held := range n.held {
		all += held
	}
	return n.held[handle] <= posix.MostListed && all <= 2*posix.MostListed
}

// answers is the way from the server.
type answers struct {
	from  *bufio.Reader
	names *names
	ready []byte // to give before the rest of the packet
	rest  int    // bytes of the packet that are still to come
}

// Read returns the server's packets, and an error in place of those with too many names.
func (a *answers) Read(p []byte) (int, error) {
	if len(a.ready) == 0 && a.rest == 0 {
		if err := a.next(); err != nil {
			return 0, err
		}
	}
	if len(a.ready) > 0 {
		n := copy(p, a.ready)
		a.ready = a.ready[n:]
		return n, nil
	}
	n, err := a.from.Read(p[:min(len(p), a.rest)])
	a.rest -= n
	return n, err
}

// next begins a packet.
func (a *answers) next() error {
	head, err := a.from.Peek(4)
	if err != nil {
		return err
	}
	a.rest = 4 + int(binary.BigEndian.Uint32(head))
	if a.rest < 9 || a.rest > longestPacket {
		return nil // the library refuses it, or it is the server's version
	}
	head, err = a.from.Peek(9)
	if err != nil {
		return err
	}
	handle, listing := a.names.answered(binary.BigEndian.Uint32(head[5:]))
	if !listing || head[4] != packetName {
		return nil
	}
	packet := make([]byte, a.rest)
	if _, err := io.ReadFull(a.from, packet); err != nil {
		return err
	}
	a.rest = 0
	a.ready = packet
	if !a.names.hold(handle, weigh(packet[9:])) {
		a.ready = tooMany(packet[5:9])
	}
	return nil
}

// tooMany is the answer to a request by the number of it.
func tooMany(id []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, 1+4+4+4+4)
	b = append(append(b, packetStatus), id...)
	b = binary.BigEndian.AppendUint32(b, statusTooMany)
	return append(b, 0, 0, 0, 0, 0, 0, 0, 0) // no message, in no language
}

// weigh returns what the names of an answer take in memory, in bytes: at least an entry, so
// that empty answers have an end too. The library refuses an answer that is not whole.
func weigh(b []byte) int {
	weight, ok := posix.EntrySize, true
	if len(b) < 4 {
		return weight
	}
	for b = b[4:]; ok && len(b) > 0; {
		var name, attributes []byte
		if name, attributes, ok = text(b); !ok {
			break
		}
		if _, attributes, ok = text(attributes); !ok || len(attributes) < 4 {
			break
		}
		var extended int
		b, extended, ok = skipAttributes(attributes)
		weight += posix.EntrySize + len(name) + extended
	}
	return weight
}

// skipAttributes returns what is behind the attributes of a file, and what their extensions
// take in memory.
func skipAttributes(b []byte) (rest []byte, extended int, ok bool) {
	flags := binary.BigEndian.Uint32(b)
	size := 4
	for flag, bytes := range map[uint32]int{hasSize: 8, hasOwner: 8, hasMode: 4, hasTimes: 8} {
		if flags&flag != 0 {
			size += bytes
		}
	}
	if len(b) < size {
		return nil, 0, false
	}
	b = b[size:]
	if flags&hasExtended == 0 {
		return b, 0, true
	}
	if len(b) < 4 {
		return nil, 0, false
	}
	count := binary.BigEndian.Uint32(b)
	b = b[4:]
	for range count {
		for range 2 {
			var value []byte
			if value, b, ok = text(b); !ok {
				return nil, extended, false
			}
			extended += 2*16 + len(value) // the library's list of texts grows by doubling
		}
	}
	return b, extended, true
}

// text splits off a text with its length before it.
func text(b []byte) (value, rest []byte, ok bool) {
	if len(b) < 4 {
		return nil, nil, false
	}
	size := binary.BigEndian.Uint32(b)
	if uint64(size) > uint64(len(b)-4) {
		return nil, nil, false
	}
	return b[4 : 4+size], b[4+size:], true
}

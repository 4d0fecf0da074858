package ansiblecore

import "sync"

// mostKept is how many payloads are kept, of up to half a megabyte each.
const mostKept = 32

// kept are the last payloads, by a digest of their request. It is safe for use by several
// goroutines.
type kept struct {
	mu    sync.Mutex
	by    map[[32]byte]*Payloads
	order [][32]byte // the oldest first
}

func (k *kept) get(key [32]byte) *Payloads {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.by[key]
}

func (k *kept) put(key [32]byte, p *Payloads) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.by == nil {
		k.by = map[[32]byte]*Payloads{}
	}
	if k.by[key] == nil {
		k.order = append(k.order, key)
	}
	k.by[key] = p
	if len(k.order) > mostKept {
		delete(k.by, k.order[0])
		k.order = k.order[1:]
	}
}

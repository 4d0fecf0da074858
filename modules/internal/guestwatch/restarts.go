package guestwatch

import (
	"context"
	"strings"
	"sync"

	"kinit/engine/module"
)

// restarts counts the restarts of a domain, which libvirt reports only to listeners.
type restarts struct {
	cancel context.CancelFunc
	done   sync.WaitGroup

	mu sync.Mutex
	n  int
}

// follow listens until stop is called. On a host without virsh it counts none; nothing
// depends on them.
func (g Guest) follow(ctx context.Context, h module.Host) *restarts {
	r := &restarts{}
	ctx, r.cancel = context.WithCancel(ctx)
	r.done.Go(func() { _, _ = h.Run(ctx, module.Command{Argv: g.listen(), Line: r.line}) })
	return r
}

// listen prints a line for each restart at once: virsh buffers lines if its output is not a
// terminal.
func (g Guest) listen() []string {
	return []string{"stdbuf", "-oL", "virsh", "--connect", "qemu:///system", "event", "--domain", g.Domain, "--event", "reboot", "--loop"}
}

func (r *restarts) line(text string) {
	if !strings.HasPrefix(text, "event 'reboot'") {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.n++
}

func (r *restarts) count() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.n
}

func (r *restarts) stop() {
	r.cancel()
	r.done.Wait()
}

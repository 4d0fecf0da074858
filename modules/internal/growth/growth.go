// Package growth shows how a file of a host grows while something writes it.
package growth

import (
	"context"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
)

// lookEvery is the time between two looks at the file.
const lookEvery = time.Second

// Watch reports the file's size until it is stopped; stop waits for the end of the last
// look.
func Watch(ctx context.Context, h module.Host, path, text string) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if info, err := h.Files().Stat(ctx, path); err == nil {
					h.Report(event.Progress{Text: text, Done: info.Size})
				}
			}
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

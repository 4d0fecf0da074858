package guestwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"sync/atomic"

	"kinit/engine/module"
	"kinit/modules/internal/virt"
)

// sight looks once. A failed look is a problem and not an error: libvirt can
// restart while a guest installs itself for an hour.
func (g Guest) sight(ctx context.Context, h module.Host) Sight {
	var s Sight
	err := g.Open.Do(ctx, h, func(c *virt.Conn) error {
		d, found, err := c.Find(ctx, g.Domain)
		if err == nil && !found {
			err = fmt.Errorf("there is no domain %s", g.Domain)
		}
		s.Off, s.ShutDown = err == nil && d.State == virt.Stopped, d.ShutDown
		return err
	})
	info, statErr := h.Files().Stat(ctx, g.Disk)
	if statErr == nil {
		s.Written = info.Size
	}
	said, sayErr := g.said(ctx, h)
	s.Said = said
	if err := errors.Join(err, statErr, sayErr); err != nil {
		s.Problem = strings.ReplaceAll(err.Error(), "\n", "; ")
	}
	return s
}

// prefix begins each message of a script on the guest's CD.
const prefix = "kinit: "

// logBytes is how much of the console's log is read: firmware writes a few KiB at each
// start, scripts some lines.
const logBytes = 4 << 20

// said returns the last message of the guest's script.
func (g Guest) said(ctx context.Context, h module.Host) (string, error) {
	file, err := h.Files().Open(ctx, virt.ConsoleLog(g.Domain))
	if err != nil {
		return "", nil // before the first start there is no log
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, logBytes))
	if err != nil {
		return "", err
	}
	at := strings.LastIndex(string(text), prefix)
	if at < 0 {
		return "", nil
	}
	line, _, _ := strings.Cut(string(text[at+len(prefix):]), "\n")
	return strings.TrimSpace(line), nil
}

// failure returns why the guest's script failed, if it did.
func (s Sight) failure() (string, bool) { return strings.CutPrefix(s.Said, failed) }

func (s Sight) String() string {
	parts := []string{fmt.Sprintf("%.1f GiB written", float64(s.Written)/(1<<30))}
	switch s.Restarts {
	case 0:
	case 1:
		parts = append(parts, "restarted once")
	default:
		parts = append(parts, fmt.Sprintf("restarted %d times", s.Restarts))
	}
	if s.Off {
		parts = append(parts, "turned off")
	}
	if s.Said != "" {
		parts = append(parts, "it says: "+s.Said)
	}
	if s.Problem != "" {
		parts = append(parts, s.Problem)
	}
	return strings.Join(parts, ", ")
}

// Failed reports whether the last message of the guest's script is a failure.
func (g Guest) Failed(ctx context.Context, h module.Host) (bool, error) {
	said, err := g.said(ctx, h)
	_, gaveUp := Sight{Said: said}.failure()
	return gaveUp, err
}

// follow counts the restarts of the domain, which libvirt reports only to listeners, until stop is
// called. On a host without virsh it counts none; nothing depends on them.
func (g Guest) follow(ctx context.Context, h module.Host) (restarts *atomic.Int64, stop func()) {
	restarts = &atomic.Int64{}
	ctx, cancel := context.WithCancel(ctx)
	// A line for each restart comes at once: virsh buffers lines if its output is not a terminal.
	argv := []string{"stdbuf", "-oL", "virsh", "--connect", "qemu:///system", "event", "--domain", g.Domain, "--event", "reboot", "--loop"}
	line := func(text string) {
		if strings.HasPrefix(text, "event 'reboot'") {
			restarts.Add(1)
		}
	}
	var done sync.WaitGroup
	done.Go(func() { _, _ = h.Run(ctx, module.Command{Argv: argv, Line: line}) })
	return restarts, func() {
		cancel()
		done.Wait()
	}
}

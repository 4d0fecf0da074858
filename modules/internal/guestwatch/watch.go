// Package guestwatch observes a guest that installs itself from outside: the growth of its
// disk, its restarts, and the messages on its serial port. Nothing in the guest has
// to answer for that. If it takes too long, a picture of its screen is saved.
package guestwatch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"sync/atomic"
	"time"

	"kinit/engine/event"
	"kinit/engine/module"
	"kinit/modules/internal/cmdtext"
	"kinit/modules/internal/hostfile"
	"kinit/modules/internal/virt"
)

// Guest is the observed guest.
type Guest struct {
	Domain string
	Disk   string      // path of its image on the host; a qcow2 file grows as it is written
	Open   virt.Opener // of the host's libvirt
	// BootKey presses keys as long as the disk is empty: on UEFI, an installation CD is
	// skipped if no key is pressed.
	BootKey bool
	// Pictures is the folder, on the host, for pictures of the screen.
	Pictures string
	// Every is the time between two looks; the default is 2 s.
	Every time.Duration
}

// Sight is the result of one look.
type Sight struct {
	Off      bool   // the domain is stopped
	ShutDown bool   // its guest turned it off
	Written  int64  // size of the disk's image, in bytes
	Restarts int    // since the watch began
	Said     string // the last message of the guest's script, empty for none
	Problem  string // why the look at the domain failed
}

// failed begins a script's failure message.
const failed = "failed: "

// Wait looks until done is true, an error occurs, or the time is over, which is longer on a
// slow hypervisor. A failure message of the guest's script is an error at once. Errors have
// the path of the saved picture of the screen.
func (g Guest) Wait(ctx context.Context, h module.Host, what string, within time.Duration,
	done func(context.Context, Sight) (bool, error)) error {
	inner, limit := module.Within(ctx, h, within)
	defer limit.End()
	restarts, stop := g.follow(inner, h)
	defer stop()
	last, err := g.look(inner, h, restarts, done)
	if err == nil || ctx.Err() != nil {
		return err
	}
	if inner.Err() != nil {
		err = fmt.Errorf("waited %s for %s: %s", limit, what, h.Redact(last.String()))
	}
	return fmt.Errorf("%w%s", err, g.evidence(ctx, h, last))
}

// look looks repeatedly, and returns the last result.
func (g Guest) look(ctx context.Context, h module.Host, restarts *atomic.Int64,
	done func(context.Context, Sight) (bool, error)) (Sight, error) {
	tick := time.NewTicker(cmp.Or(g.Every, lookEvery))
	defer tick.Stop()
	start := time.Now()
	var last Sight
	for {
		sight := g.sight(ctx, h)
		sight.Restarts = int(restarts.Load())
		if ctx.Err() != nil {
			return last, ctx.Err() // this look may have been cut short
		}
		last = sight
		if ok, err := done(ctx, sight); err != nil || ok {
			return sight, err
		}
		if why, gaveUp := sight.failure(); gaveUp {
			return sight, errors.New("the guest's script " + failed + why)
		}
		if g.BootKey && !sight.Off && sight.Written < blank && time.Since(start) < keysFor {
			g.pressKey(ctx, h)
		}
		elapsed := time.Since(start).Truncate(time.Second)
		h.Report(event.Progress{Text: cmdtext.Shorten(fmt.Sprintf("%s, %s", elapsed, h.Redact(sight.String()))), Done: sight.Written})
		select {
		case <-ctx.Done():
			return sight, ctx.Err()
		case <-tick.C:
		}
	}
}

const (
	lookEvery = 2 * time.Second
	// blank is less than the image of a disk has once an installer has partitioned it, and
	// more than an empty image, in bytes.
	blank = 2 << 20
	// keysFor limits the time of pressing keys: firmware, and the few seconds in
	// which the CD asks, take longest on an emulated processor.
	keysFor = 3 * time.Minute
)

// pressKey is an attempt: if it fails, the next look presses again.
func (g Guest) pressKey(ctx context.Context, h module.Host) {
	_ = g.Open.Do(ctx, h, func(c *virt.Conn) error { return c.PressKey(ctx, g.Domain, virt.KeyUp) })
}

// pictureTime limits the time to take and save a picture.
const pictureTime = 30 * time.Second

// evidence saves a picture of the screen and returns its path, for the end of an error.
func (g Guest) evidence(ctx context.Context, h module.Host, last Sight) string {
	if last.Off || g.Pictures == "" {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	file, err := g.picture(ctx, h)
	if err != nil {
		return fmt.Sprintf("\n(no picture of the screen: %v)", err)
	}
	return fmt.Sprintf("\nIts screen is in %s on %s.", file, h.Name())
}

func (g Guest) picture(ctx context.Context, h module.Host) (string, error) {
	var png []byte
	err := g.Open.Do(ctx, h, func(c *virt.Conn) error {
		var err error
		png, err = c.Screenshot(ctx, g.Domain)
		return err
	})
	if err != nil {
		return "", err
	}
	file := path.Join(g.Pictures, g.Domain+"-"+time.Now().UTC().Format("20060102T150405Z")+".png")
	// A screen can contain secrets.
	return file, hostfile.Put(ctx, h, file, string(png), module.Attr{Mode: 0o600})
}

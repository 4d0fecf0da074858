//go:build linux

// Package guest makes the simulator the first process of a virtual machine: it mounts
// what there is, asks for an address, and restarts or powers off when the simulated
// Windows does.
//
// A machine that was started from the media plays Setup: it looks for a CD with an
// answer file, puts the image onto the first disk and restarts. One that was started
// from its disk plays Windows.
package guest

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
)

// End is how a run of the machine ends.
type End int

// The ends: the machine starts anew, or stays off.
const (
	Restart End = iota
	PowerOff
)

// Windows is the simulated system.
type Windows interface {
	// Install plays the first pass of Setup: it reads the answer file in one of the
	// media's folders, and leaves in the folder of the state what the system starts from.
	Install(ctx context.Context, state string, media []string) error
	// Run plays the installed system until it restarts or powers off.
	Run(ctx context.Context, state string, media []string) (End, error)
}

// Where things are in the guest.
const (
	stateFolder = "/state"
	mediaFolder = "/run/media"
	setupLabel  = "KINIT_WINSIM" // of the media, on the kernel's command line
)

// Run plays what the kernel's command line says and then restarts the machine or powers
// it off. A failure is told on the console, and the machine stays on, for people to look at.
func Run(ctx context.Context, console io.Writer, w Windows) error {
	end, err := play(ctx, console, w)
	if err != nil {
		fmt.Fprintf(console, "winsim: %v\n", err)
		<-ctx.Done()
		return err
	}
	return halt(end)
}

func play(ctx context.Context, console io.Writer, w Windows) (End, error) {
	if err := mountBasics(); err != nil {
		return PowerOff, err
	}
	fmt.Fprintln(console, "winsim: this is a SIMULATION of Windows by kinit, and no Windows")
	media, err := mountMedia(mediaFolder)
	if err != nil {
		return PowerOff, err
	}
	fromMedia, err := bootedFromMedia()
	if err != nil {
		return PowerOff, err
	}
	if fromMedia {
		return Restart, install(ctx, console, w, media)
	}
	if err := grow(ctx); err != nil {
		return PowerOff, err
	}
	if err := network(ctx, console); err != nil {
		return PowerOff, err
	}
	return w.Run(ctx, stateFolder, media)
}

// bootedFromMedia reads the label that the boot loader gave.
func bootedFromMedia() (bool, error) {
	line, err := os.ReadFile("/proc/cmdline")
	if err != nil {
		return false, err
	}
	return slices.Contains(strings.Fields(string(line)), "winsim.root="+setupLabel), nil
}

// every calls try until it succeeds or ctx ends, which it tells with what try said last.
func every(ctx context.Context, pause time.Duration, try func() error) error {
	ticks := time.NewTicker(pause)
	defer ticks.Stop()
	for {
		err := try()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", ctx.Err(), err)
		case <-ticks.C:
		}
	}
}

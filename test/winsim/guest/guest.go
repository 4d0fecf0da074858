//go:build linux

// Package guest makes the simulator the first process of a virtual machine: it mounts
// what there is, asks for an address, and restarts or powers off when the simulated
// Windows does.
package guest

import (
	"context"
	"fmt"
	"io"
	"time"
)

// End is how a run of the machine ends.
type End int

// The ends: the machine starts anew, or stays off.
const (
	Restart End = iota
	PowerOff
)

// Windows plays the simulated system until it restarts or powers off. Its state is in a
// folder; media are the folders of the CDs.
type Windows func(ctx context.Context, state string, media []string) (End, error)

// Where things are in the guest.
const (
	stateFolder = "/state"
	mediaFolder = "/run/media"
)

// Run plays Windows and then restarts the machine or powers it off. A failure is told on
// the console, and the machine stays on, for people to look at.
func Run(ctx context.Context, console io.Writer, windows Windows) error {
	end, err := play(ctx, console, windows)
	if err != nil {
		fmt.Fprintf(console, "winsim: %v\n", err)
		<-ctx.Done()
		return err
	}
	return halt(end)
}

func play(ctx context.Context, console io.Writer, windows Windows) (End, error) {
	if err := mountBasics(); err != nil {
		return PowerOff, err
	}
	fmt.Fprintln(console, "winsim: this is a SIMULATION of Windows by kinit, and no Windows")
	media, err := mountMedia(mediaFolder)
	if err != nil {
		return PowerOff, err
	}
	if err := grow(ctx); err != nil {
		return PowerOff, err
	}
	if err := network(ctx, console); err != nil {
		return PowerOff, err
	}
	return windows(ctx, stateFolder, media)
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

//go:build linux

// Package guest makes the simulator the first process of a virtual machine: it mounts
// what there is, asks for an address, and powers the machine off when the simulated
// Windows does.
//
// A machine that was started from the installation media puts the image on them onto its
// first disk and restarts from that, as the first part of the real Setup does.
package guest

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Machine is what the simulated Windows has of the virtual machine.
type Machine struct {
	State string   // the folder of its state
	CDs   []string // folders with the contents of the CDs, in the order of the drives
	Card  Card
}

// Where things are in the guest.
const (
	stateFolder = "/state"
	mediaFolder = "/run/media"
)

// setupLabel is that of the installation media, which the boot loader names too.
const setupLabel = "KINIT_WINSIM"

// Run plays Windows until it is shut down, and powers the machine off. log writes lines on
// the console. A failure is reported there as a script's is, which ends the wait,
// and the machine stays on for inspection.
func Run(ctx context.Context, log func(string), windows func(context.Context, Machine) error) error {
	end, err := play(ctx, log, windows)
	if err != nil {
		log("kinit: failed: the simulated Windows: " + strings.ReplaceAll(err.Error(), "\n", "; "))
		<-ctx.Done()
		return err
	}
	unix.Sync()
	return unix.Reboot(end)
}

// play returns how the machine ends, as reboot(2) knows it.
func play(ctx context.Context, log func(string), windows func(context.Context, Machine) error) (int, error) {
	if err := mountBasics(); err != nil {
		return 0, err
	}
	fromMedia, err := bootedFromMedia()
	if err != nil {
		return 0, err
	}
	if fromMedia {
		return unix.LINUX_REBOOT_CMD_RESTART, install(ctx, log)
	}
	m, err := prepare(ctx, log)
	if err != nil {
		return 0, err
	}
	return unix.LINUX_REBOOT_CMD_POWER_OFF, windows(ctx, m)
}

// bootedFromMedia reads the label that the boot loader gave.
func bootedFromMedia() (bool, error) {
	line, err := os.ReadFile("/proc/cmdline")
	if err != nil {
		return false, err
	}
	return slices.Contains(strings.Fields(string(line)), "winsim.root="+setupLabel), nil
}

func prepare(ctx context.Context, log func(string)) (Machine, error) {
	m := Machine{State: stateFolder}
	var err error
	if m.CDs, err = mountMedia(mediaFolder); err != nil {
		return m, err
	}
	m.Card, err = connect(ctx, log)
	return m, err
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

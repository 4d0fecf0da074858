// Package machinetest runs simulated machines for tests.
package machinetest

import (
	"context"
	"testing"

	"kinit/test/winsim/machine"
)

// Run powers a machine on, and closes it when the test ends.
func Run(t testing.TB, m *machine.Machine) {
	t.Helper()
	ctx, stop := context.WithCancel(context.WithoutCancel(t.Context()))
	if err := m.PowerOn(ctx); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		stop()
		m.Close()
	})
}

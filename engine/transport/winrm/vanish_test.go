package winrm_test

import (
	"context"
	"errors"
	"net"
	"strconv"
	"testing"
	"time"

	"kinit/engine/transport/transporttest/netfault"
	"kinit/engine/transport/winrm"
)

// A machine that vanishes without a word holds up neither who gives a command up nor who
// closes the connection. The times are those that hold outside of tests.
func TestAMachineThatVanishes(t *testing.T) {
	t.Parallel()
	m, c := start(t, func(p *started) int { <-p.ctx.Done(); return 1 })
	proxy := netfault.New(t, net.JoinHostPort(c.Address, strconv.Itoa(c.Port)))
	c.Dial = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, proxy.Address)
	}
	conn := dial(t, winrm.WithTimes(c, 20*time.Second, 60*time.Second, 2*time.Minute))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	m.on(func(r *request) reaction {
		if r.step == "Receive" {
			proxy.Vanish()
			time.AfterFunc(20*time.Millisecond, cancel)
		}
		return reaction{}
	})
	began := time.Now()
	if got := run(ctx, conn, "x", nil); !errors.Is(got.err, context.Canceled) {
		t.Errorf("error is %v", got.err)
	}
	if err := conn.Close(); err != nil {
		t.Error(err)
	}
	if took := time.Since(began); took > 15*time.Second {
		t.Errorf("both took %s", took)
	}
}

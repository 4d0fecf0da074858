package winrm_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"kinit/engine/transport/winrm"
	"kinit/test/winsim/process"
	"kinit/test/winsim/wsman"
)

// halfAnHour is what a feature of Windows may take to be installed.
const halfAnHour = 30 * time.Minute

// A command that says nothing for half an hour is followed with the times that hold
// outside of tests; the clock is a fake one.
func TestHalfAnHourOfOperationTimeouts(t *testing.T) {
	t.Parallel()
	cases := []struct {
		name        string
		rules       []wsman.Rule
		least, most int // Receives
	}{
		// The machine holds each question for as long as it may.
		{"held", nil, 90, 93},
		// It answers at once, as one does that has no more operations: it is asked less
		// and less often, in the end every 3 s.
		{"at once", []wsman.Rule{{Action: wsman.Receive, Times: 600, Effect: wsman.Effect{Fault: wsman.CodeTimedOut}}}, 601, 606},
	}
	for way, wired := range ways("")[:2] {
		for _, c := range cases {
			t.Run(wired.name+", "+c.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					w := &windows{script: func(ctx context.Context, c process.Command, _ string) uint32 {
						select {
						case <-time.After(halfAnHour):
						case <-ctx.Done():
							return 1
						}
						_, _ = io.WriteString(c.Stdout, "late")
						return 3
					}}
					server, config := piped(t, w, way)
					conn, err := winrm.Dial(t.Context(), config)
					if err != nil {
						t.Fatal(err)
					}
					server.Plan(c.rules...)
					begin := time.Now()
					wantResult(t, run(t.Context(), conn, "once", strings.NewReader("")), 3, "late")
					if took := time.Since(begin); took < halfAnHour || took > halfAnHour+20*time.Second {
						t.Errorf("it took %v", took)
					}
					if n := server.Requests(wsman.Receive); n < c.least || n > c.most {
						t.Errorf("%d Receives, want %d to %d", n, c.least, c.most)
					}
					if ran := w.scripts(); len(ran) != 1 {
						t.Errorf("ran %q", ran)
					}
					if err := conn.Close(); err != nil || server.Shells() != 0 {
						t.Errorf("%d shells are left, error %v", server.Shells(), err)
					}
					server.Close()
				})
			})
		}
	}
}

// piped is a server that is reached through pipes in memory, which a fake clock needs,
// and a config with the times that hold outside of tests.
func piped(t *testing.T, w *windows, way int) (*wsman.Server, winrm.Config) {
	t.Helper()
	pair, certificate, both := newKeyPair(t, "win1")
	server := wsman.New(wsman.Options{Runner: w, Login: w, Certificate: &pair, Settings: wsman.Settings{Basic: true}, Failed: func(err error) { t.Error(err) }})
	http, https := newPipes(), newPipes()
	go func() { _ = server.Serve(http) }()
	go func() { _ = server.ServeTLS(https) }()
	c := winrm.Config{Name: "win1", Address: "192.0.2.1", User: "Administrator", Password: simPassword, Certificate: certificate}
	c = ways(both)[way].config(c, 5985, 5986)
	c.Dial = func(ctx context.Context, _, address string) (net.Conn, error) {
		if strings.HasSuffix(address, ":5985") {
			return http.dial(ctx)
		}
		return https.dial(ctx)
	}
	return server, c
}

// pipes is a listener whose connections are in memory.
type pipes struct {
	queue  chan net.Conn
	closed chan struct{}
}

func newPipes() *pipes { return &pipes{queue: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	select {
	case p.queue <- theirs:
		return ours, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case conn := <-p.queue:
		return conn, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1)} }

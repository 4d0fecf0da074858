package winrm_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha1"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"math/big"
	"net"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"kinit/engine/secret"
	"kinit/engine/transport"
	"kinit/engine/transport/internal/powershell"
	"kinit/engine/transport/winrm"
	"kinit/test/winsim/process"
	"kinit/test/winsim/wsman"
)

// windows is a machine behind the WinRM server that was written from Microsoft's
// documents: of PowerShell it knows what the bootstrap does, and scripts are functions
// of the test.
type windows struct {
	script func(ctx context.Context, c process.Command, script string) uint32
	client string // thumbprint of a client certificate

	mu  sync.Mutex
	ran []string
}

func (w *windows) Run(ctx context.Context, c process.Command) (uint32, error) {
	if c.Line != powershell.CommandLine() {
		return 0, fmt.Errorf("the line is %s", c.Line)
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(c.Stdin, head); err != nil {
		return 250, nil
	}
	n, err := strconv.Atoi(string(head))
	if err != nil {
		return 0, err
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(c.Stdin, text); err != nil {
		return 250, nil
	}
	script, err := base64.StdEncoding.DecodeString(string(text))
	if err != nil {
		return 0, err
	}
	w.mu.Lock()
	w.ran = append(w.ran, string(script))
	w.mu.Unlock()
	if _, err := io.WriteString(c.Stdout, "#kinit 4242\n"); err != nil {
		return 1, nil
	}
	return w.script(ctx, c, string(script)), nil
}

// scripts lists what has run.
func (w *windows) scripts() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return append([]string(nil), w.ran...)
}

const simPassword = "Päss w0rd;'\""

func (w *windows) Password(user, password string) bool {
	return strings.EqualFold(user, "Administrator") && password == simPassword
}

func (w *windows) NTHash(user string) ([]byte, bool) {
	return process.NTHash(simPassword), strings.EqualFold(user, "Administrator")
}

func (w *windows) Certificate(thumbprint string) (string, bool) {
	return "Administrator", thumbprint == w.client && thumbprint != ""
}

func (w *windows) Key(string, ssh.PublicKey) bool { return false }

// wired is one way to reach the machine.
type wired struct {
	name   string
	config func(c winrm.Config, http, https int) winrm.Config
}

func ways(clientCertificate string) []wired {
	return []wired{
		{"HTTPS with Basic", func(c winrm.Config, _, https int) winrm.Config {
			c.Port = https
			return c
		}},
		{"HTTP with NTLM", func(c winrm.Config, http, _ int) winrm.Config {
			c.Port, c.Auth, c.Certificate = http, winrm.NTLM, ""
			return c
		}},
		{"HTTPS with a certificate", func(c winrm.Config, _, https int) winrm.Config {
			c.Port, c.Auth, c.User, c.Password = https, winrm.Certificate, "", ""
			c.ClientCertificate = secret.Value(clientCertificate)
			return c
		}},
	}
}

// newKeyPair is a self-signed certificate, and both in PEM.
func newKeyPair(t testing.TB, name string) (pair tls.Certificate, certificate, both string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, DNSNames: []string{name},
		NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(-24 * time.Hour), // a clock that is wrong
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secretKey, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate = string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}))
	both = certificate + string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secretKey}))
	return tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, certificate, both
}

// simulate starts a server with all three ways open, and returns a config for one.
func simulate(t testing.TB, w *windows, way int, change func(*wsman.Settings)) (*wsman.Server, winrm.Config) {
	t.Helper()
	pair, certificate, _ := newKeyPair(t, "win1")
	client, _, both := newKeyPair(t, "client")
	sum := sha1.Sum(client.Certificate[0])
	w.client = strings.ToUpper(hex.EncodeToString(sum[:]))
	settings := wsman.Settings{Basic: true, Certificate: true}
	if change != nil {
		change(&settings)
	}
	server := wsman.New(wsman.Options{Runner: w, Login: w, Certificate: &pair, Settings: settings, Failed: func(err error) { t.Error(err) }})
	t.Cleanup(server.Close)
	http, https := listen(t, server.Serve), listen(t, server.ServeTLS)
	c := winrm.Config{Name: "win1", Address: "127.0.0.1", User: "Administrator", Password: simPassword, Certificate: certificate}
	return server, winrm.WithTimes(ways(both)[way].config(c, http, https), 500*time.Millisecond, 5*time.Second, 5*time.Second)
}

func listen(t testing.TB, serve func(net.Listener) error) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = serve(listener) }()
	return listener.Addr().(*net.TCPAddr).Port
}

func simEcho(_ context.Context, c process.Command, _ string) uint32 {
	_, _ = io.Copy(c.Stdout, c.Stdin)
	_, _ = io.WriteString(c.Stderr, "said on stderr\n")
	return 7
}

// everyWay runs a test over each way to reach the machine.
func everyWay(t *testing.T, test func(t *testing.T, way int)) {
	t.Parallel()
	for way, w := range ways("") {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			test(t, way)
		})
	}
}

func TestEveryWayIn(t *testing.T) {
	everyWay(t, func(t *testing.T, way int) {
		w := &windows{script: simEcho}
		server, c := simulate(t, w, way, nil)
		conn := dial(t, winrm.WithTimes(c, 500*time.Millisecond, time.Minute, time.Minute)) // the machine may be busy
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				text := strings.Repeat(fmt.Sprintf("input %d ", i), 30_000)
				wantResult(t, run(t.Context(), conn, "x", onlyReader{strings.NewReader(text)}), 7, text)
			})
		}
		all.Wait()
		if err := conn.Close(); err != nil || server.Shells() != 0 {
			t.Errorf("%d shells are left, error %v", server.Shells(), err)
		}
	})
}

func TestWrongPasswords(t *testing.T) {
	t.Parallel()
	for way := range 2 {
		_, c := simulate(t, &windows{script: simEcho}, way, nil)
		c.Password = "wrong"
		if _, err := winrm.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) || strings.Contains(err.Error(), "wrong") {
			t.Errorf("way %d: %v", way, err)
		}
		c.User, c.Password = "nobody", simPassword
		if _, err := winrm.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) {
			t.Errorf("way %d: %v", way, err)
		}
	}
	_, c := simulate(t, &windows{script: simEcho}, 2, nil)
	_, _, other := newKeyPair(t, "client")
	c.ClientCertificate = secret.Value(other)
	if _, err := winrm.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) {
		t.Errorf("another certificate: %v", err)
	}
	_, c = simulate(t, &windows{script: simEcho}, 0, func(s *wsman.Settings) { s.Basic = false })
	if _, err := winrm.Dial(t.Context(), c); !errors.Is(err, transport.ErrAuth) || !strings.Contains(err.Error(), "by basic; it offers Negotiate") {
		t.Errorf("basic is off: %v", err)
	}
}

// Of every operation the first one goes wrong, before and after it was handled.
func TestFaultsAtEveryStepOfARealServer(t *testing.T) {
	everyWay(t, func(t *testing.T, way int) {
		effects := map[string]wsman.Effect{
			"cut before": {DropBefore: true}, "cut after": {DropAfter: true}, "an empty answer": {Empty: true}, "half an answer": {Truncate: 300},
			"out of order": {Status: 503}, "a fault": {Fault: wsman.CodeSchema}, "a timeout": {Fault: wsman.CodeTimedOut},
		}
		for _, action := range []wsman.Action{wsman.Create, wsman.Command, wsman.Send, wsman.Receive, wsman.Signal} {
			for name, effect := range effects {
				t.Run(fmt.Sprintf("%s, %s", action, name), func(t *testing.T) {
					t.Parallel()
					w := &windows{script: simEcho}
					server, c := simulate(t, w, way, nil)
					server.Plan(wsman.Rule{Action: action, Effect: effect})
					ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
					defer cancel()
					conn, err := winrm.Dial(ctx, c)
					if err != nil {
						if !strings.Contains(err.Error(), string(action)) && !errors.Is(err, transport.ErrUnreachable) {
							t.Errorf("the error does not name the step: %v", err)
						}
						conn = dial(t, c) // once more, as who asked would
					}
					defer conn.Close()
					got := run(ctx, conn, "once", onlyReader{strings.NewReader("in")})
					if got.err == nil && (got.code != 7 || got.stdout != "in") {
						t.Errorf("code %d, output %q", got.code, got.stdout)
					}
					if got.err != nil && !strings.Contains(got.err.Error(), string(action)) {
						t.Errorf("the error does not name the step: %v", got.err)
					}
					if ran := w.scripts(); len(ran) > 1 {
						t.Errorf("ran %q", ran)
					}
					server.Unplan()
					wantResult(t, run(ctx, conn, "twice", nil), 7, "")
				})
			}
		}
	})
}

func TestAMachineThatRestartsInTheMiddle(t *testing.T) {
	everyWay(t, func(t *testing.T, way int) {
		begun := make(chan struct{}, 9)
		w := &windows{script: func(ctx context.Context, _ process.Command, script string) uint32 {
			if script == "wait" {
				begun <- struct{}{}
				<-ctx.Done()
			}
			return 3
		}}
		server, c := simulate(t, w, way, nil)
		conn := dial(t, c)
		go func() {
			<-begun
			server.Shutdown()
			time.AfterFunc(300*time.Millisecond, server.Boot)
		}()
		if got := run(t.Context(), conn, "wait", nil); !errors.Is(got.err, transport.ErrUnreachable) {
			t.Errorf("code %d, error %v", got.code, got.err)
		}
		wantResult(t, run(t.Context(), conn, "after", nil), 3, "")
		if ran := strings.Join(w.scripts(), " "); ran != "wait after" {
			t.Errorf("ran %q", ran)
		}
	})
}

func TestQuotasOfARealServer(t *testing.T) {
	t.Parallel()
	w := &windows{script: func(context.Context, process.Command, string) uint32 { return 0 }}
	server, c := simulate(t, w, 0, func(s *wsman.Settings) { s.Quotas = wsman.Quotas{Shells: 2, Operations: 30} })
	conn := dial(t, c)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for range 40 {
				wantResult(t, run(t.Context(), conn, "x", nil), 0, "")
			}
		})
	}
	all.Wait()
	if ran := len(w.scripts()); ran != 160 {
		t.Errorf("%d scripts ran, want 160", ran)
	}
	if server.Requests(wsman.Command) < 160 {
		t.Error("the quota was never met")
	}
}

// The command at work has used up the quota, so a further shell is refused, or the first
// command in it.
func TestTheShellAtWorkHasAllOperations(t *testing.T) {
	for refused, most := range map[wsman.Action]int{wsman.Create: 3, wsman.Command: 4} {
		t.Run(string(refused), func(t *testing.T) {
			t.Parallel()
			begun, release := make(chan struct{}), make(chan struct{})
			w := &windows{script: func(_ context.Context, _ process.Command, script string) uint32 {
				if script == "held" {
					close(begun)
					<-release
				}
				return 0
			}}
			_, c := simulate(t, w, 0, func(s *wsman.Settings) { s.Quotas = wsman.Quotas{Operations: most} })
			conn := dial(t, c)
			wantResult(t, run(t.Context(), conn, "first", nil), 0, "")
			var all sync.WaitGroup
			all.Go(func() { wantResult(t, run(t.Context(), conn, "held", nil), 0, "") })
			<-begun
			all.Go(func() { wantResult(t, run(t.Context(), conn, "last", nil), 0, "") })
			time.Sleep(time.Second) // longer than all tries take
			close(release)
			all.Wait()
			if ran := strings.Join(w.scripts(), " "); ran != "first held last" {
				t.Errorf("ran %q", ran)
			}
		})
	}
}

func TestSmallEnvelopesOfARealServer(t *testing.T) {
	everyWay(t, func(t *testing.T, way int) {
		_, c := simulate(t, &windows{script: simEcho}, way, func(s *wsman.Settings) { s.MaxEnvelopeSize = 64 << 10 })
		conn := dial(t, c)
		text := strings.Repeat("0123456789", 100_000)
		wantResult(t, run(t.Context(), conn, strings.Repeat("# long\n", 40_000), onlyReader{strings.NewReader(text)}), 7, text)
		wantResult(t, run(t.Context(), conn, "x", strings.NewReader(text[:120_000])), 7, text[:120_000])
	})
}

// BenchmarkSend measures how fast a standard input travels.
func BenchmarkSend(b *testing.B) {
	for way, name := range ways("") {
		b.Run(name.name, func(b *testing.B) {
			w := &windows{script: func(_ context.Context, c process.Command, _ string) uint32 {
				_, _ = io.Copy(io.Discard, c.Stdin)
				return 0
			}}
			_, c := simulate(b, w, way, nil)
			conn, err := winrm.Dial(b.Context(), c)
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			const size = 16 << 20
			b.SetBytes(size)
			for b.Loop() {
				code, err := conn.Exec(b.Context(), transport.Process{Line: "x", Stdin: io.LimitReader(zeros{}, size)})
				if code != 0 || err != nil {
					b.Fatal(code, err)
				}
			}
		})
	}
}

type zeros struct{}

func (zeros) Read(b []byte) (int, error) {
	clear(b)
	return len(b), nil
}

package winrm_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"net"
	"sync"
	"testing"
	"time"

	"kinit/engine/transport/transporttest/hostileweb"
	"kinit/engine/transport/winrm"
)

// received is the beginning of an answer to Receive.
const received = `<s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:a="http://schemas.xmlsoap.org/ws/2004/08/addressing">` +
	`<s:Header><a:Action>http://schemas.microsoft.com/wbem/wsman/1/windows/shell/ReceiveResponse</a:Action></s:Header><s:Body><ReceiveResponse>`

// Not parallel: it measures memory.
func TestHostileMachinesNeitherFillTheMemoryNorHoldTheRun(t *testing.T) {
	pair, certificate, both := newKeyPair(t, "win1")
	const end, size = `</ReceiveResponse></s:Body></s:Envelope>`, winrm.LargestAnswer
	answers := hostileweb.Answers("application/soap+xml",
		hostileweb.Flood{Name: "many streams", Begin: received, Repeat: `<Stream/>`, End: end, Size: size},
		hostileweb.Flood{Name: "many attributes", Begin: received + `<Stream`, Repeat: ` a=""`, End: `/>` + end, Size: size},
		hostileweb.Flood{Name: "many bytes", Begin: received + `<Stream Name="stdout">`, Repeat: `AAAA`, End: `</Stream>` + end, Size: size},
		hostileweb.Flood{Name: "streams without end", Begin: received, Repeat: `<Stream/>`},
	)
	for way, wired := range ways(both)[:2] {
		config := winrm.Config{Name: "win1", Address: "192.0.2.1", User: "Administrator", Password: simPassword, Certificate: certificate}
		for _, answer := range answers {
			config := wired.config(config, 5985, 5986)
			config.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
				if config.Auth == winrm.NTLM {
					return answer.Dial(ctx, network, address)
				}
				return dialTLS(ctx, answer, pair)
			}
			operations, err := winrm.Operations(config)
			if err != nil {
				t.Fatal(err)
			}
			for name, operation := range operations {
				if way > 0 && name != "receive" {
					continue // one way shows that all operations read alike
				}
				t.Run(wired.name+"/"+name+"/"+answer.Name, func(t *testing.T) {
					_ = hostileweb.Bounded(t, 2*time.Minute, operation) // some are accepted
				})
			}
		}
	}
}

// dialTLS is Dial of a hostile server within TLS.
func dialTLS(ctx context.Context, answer hostileweb.Answer, pair tls.Certificate) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mine, theirs := net.Pipe()
	go answer.Serve(tls.Server(theirs, &tls.Config{Certificates: []tls.Certificate{pair}}))
	queue, done := make(chan []byte, 1<<10), make(chan struct{}) // the client asks in a few packets
	go func() {
		for {
			select {
			case b := <-queue:
				_, _ = mine.Write(b) // the server may have gone
			case <-done:
				return
			}
		}
	}()
	return &unhindered{Conn: mine, queue: queue, end: sync.OnceFunc(func() { close(done) })}, nil
}

// unhindered is a connection whose writes wait for no reader, as on a network. The end of TLS writes while net/http holds
// a lock, and a fake clock stands still as long as a goroutine waits for a lock.
type unhindered struct {
	net.Conn
	queue chan<- []byte
	end   func()
}

// Write queues the bytes.
func (u *unhindered) Write(b []byte) (int, error) {
	select {
	case u.queue <- bytes.Clone(b):
		return len(b), nil
	default:
		return 0, errors.New("the server reads nothing")
	}
}

// Close closes the connection, and ends its goroutine.
func (u *unhindered) Close() error {
	u.end()
	return u.Conn.Close()
}

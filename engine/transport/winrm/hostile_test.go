package winrm_test

import (
	"context"
	"crypto/tls"
	"net"
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
	return mine, nil
}

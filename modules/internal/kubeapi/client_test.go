package kubeapi_test

import (
	"bufio"
	"context"
	"encoding/pem"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/internal/kubeapi"
)

// late is a host whose API server answers each request after a while.
type late struct {
	module.Host
	after time.Duration
}

func (l late) Dial(context.Context, string, string) (net.Conn, error) {
	mine, theirs := net.Pipe()
	go func() {
		defer theirs.Close()
		if _, err := http.ReadRequest(bufio.NewReader(theirs)); err != nil {
			return
		}
		time.Sleep(l.after)
		_, _ = io.WriteString(theirs, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
	}()
	return mine, nil
}

func TestAServerOnASlowHostHasLongerToAnswer(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(nil)
	server.Close()
	config := kubeapi.Config{
		Server: "http://127.0.0.1:6443",
		CA:     string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw})),
	}
	for _, test := range []struct {
		pace  float64
		after time.Duration
		want  bool
	}{
		{pace: 1, after: 19 * time.Second, want: true},
		{pace: 1, after: 21 * time.Second, want: false},
		{pace: 5, after: 99 * time.Second, want: true},
		{pace: 5, after: 101 * time.Second, want: false},
	} {
		synctest.Test(t, func(t *testing.T) {
			h := moduletest.Slow(late{after: test.after}, test.pace)
			got, err := config.Ready(t.Context(), h)
			if err != nil || got != test.want {
				t.Errorf("a host %v times slower, answer after %v: ready %v, %v; want %v", test.pace, test.after, got, err, test.want)
			}
			time.Sleep(test.after) // for the server to end
		})
	}
}

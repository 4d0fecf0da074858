// Package hostileweb answers HTTP requests in ways that would fill a client's memory or hold it
// forever, for tests of clients.
package hostileweb

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// MostMemory is how much memory, in bytes, one hostile host may make kinit use.
const MostMemory = 64 << 20

// dripTime is the time between two bytes of an answer that comes slowly.
const dripTime = 2 * time.Second

// Flood is a body that begins with one text and repeats another: without end, or up to a size in bytes, where it ends with a third
// text.
type Flood struct {
	Name, Begin, Repeat string
	Size                int
	End                 string
}

// Answer is one way to misbehave.
type Answer struct {
	Name  string
	write func(conn net.Conn)
}

// Serve reads one request, answers it, and closes the connection. It returns when the client has
// closed the connection.
func (a Answer) Serve(conn net.Conn) {
	defer conn.Close()
	request, err := http.ReadRequest(bufio.NewReader(conn))
	if err != nil {
		return
	}
	if _, err := io.Copy(io.Discard, request.Body); err != nil {
		return
	}
	a.write(conn)
}

// Answers returns hostile answers. Bodies have the content type, and further ones are the floods.
func Answers(contentType string, floods ...Flood) []Answer {
	ok := "HTTP/1.1 200 OK\r\nContent-Type: " + contentType + "\r\n"
	all := []Answer{
		{"a status line without end", repeat("HTTP/1.1 200 ", "x")},
		{"a header without end", repeat(ok+"Long: ", "x")},
		{"headers without end", headers(ok)},
		{"informational answers without end", repeat("", "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n")},
		{"continuations without end", repeat("", "HTTP/1.1 100 Continue\r\n\r\n")},
		{"redirects without end", repeat("HTTP/1.1 307 Temporary Redirect\r\nLocation: /again\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "")},
		{"a chunk larger than any memory", repeat(ok+"Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n", "x")},
		{"chunks of a byte", repeat(ok+"Transfer-Encoding: chunked\r\n\r\n", "1\r\nx\r\n")},
		{"trailers without end", headers(ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n")},
		{"a length larger than any memory", repeat(ok+"Content-Length: 9000000000000000000\r\n\r\n", "x")},
		{"compressed zeros without end", bomb(ok + "Content-Encoding: gzip\r\n\r\n")},
		{"headers that come slowly", drip(ok + "Slow: ")},
		{"a body that comes slowly", drip(ok + "\r\n")},
		{"a refusal without end", repeat("HTTP/1.1 403 Forbidden\r\nContent-Type: "+contentType+"\r\n\r\n", "x")},
	}
	floods = append(floods, Flood{Name: "a body without end", Repeat: "x"}, Flood{Name: "nested lists of JSON", Repeat: "["}, Flood{Name: "nested objects of JSON", Repeat: `{"a":`},
		Flood{Name: "a text of JSON without end", Begin: `"`, Repeat: "x"}, Flood{Name: "a number of JSON without end", Begin: "1", Repeat: "0"}, Flood{Name: "spaces without end", Repeat: " "},
		Flood{Name: "nested elements of XML", Repeat: "<a>"}, Flood{Name: "attributes of XML without end", Begin: "<a", Repeat: ` b=""`})
	for _, f := range floods {
		all = append(all, Answer{f.Name, f.write(ok + "\r\n")})
	}
	return all
}

func (f Flood) write(head string) func(net.Conn) {
	if f.Size == 0 {
		return repeat(head+f.Begin, f.Repeat)
	}
	count := (f.Size - len(f.Begin) - len(f.End)) / len(f.Repeat)
	return func(conn net.Conn) {
		_, _ = io.WriteString(conn, head+f.Begin+strings.Repeat(f.Repeat, count)+f.End) // the client may have gone
	}
}

// repeat writes a text, and then another one until the client has gone.
func repeat(begin, text string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := io.WriteString(conn, begin); err != nil || text == "" {
			return
		}
		block := []byte(strings.Repeat(text, 32<<10/len(text)))
		for {
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}
}

// headers writes headers with different names, which a client keeps in a map.
func headers(begin string) func(net.Conn) {
	return func(conn net.Conn) {
		if _, err := io.WriteString(conn, begin); err != nil {
			return
		}
		for i, block := 0, make([]byte, 0, 32<<10); ; block = block[:0] {
			for ; len(block) < cap(block)-32; i++ {
				block = append(strconv.AppendInt(append(block, 'H'), int64(i), 36), ":\r\n"...)
			}
			if _, err := conn.Write(block); err != nil {
				return
			}
		}
	}
}

// bomb writes zeros without end, compressed to a thousandth.
func bomb(begin string) func(net.Conn) {
	return func(conn net.Conn) {
		var member bytes.Buffer
		w := gzip.NewWriter(&member)
		_, _ = w.Write(make([]byte, 1<<20))
		_ = w.Close()
		repeat(begin, member.String())(conn)
	}
}

// drip writes a byte now and then, so that no time limit for a single read ends it.
func drip(begin string) func(net.Conn) {
	return func(conn net.Conn) {
		for _, err := io.WriteString(conn, begin); err == nil; _, err = io.WriteString(conn, "x") {
			time.Sleep(dripTime)
		}
	}
}

// Dial is the Dial of a host whose server gives the answer to each request.
func (a Answer) Dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	mine, theirs := net.Pipe()
	go a.Serve(theirs)
	return mine, nil
}

// Bounded calls a client on a fake clock, and fails the test if the client takes longer than the
// limit, or allocates more than MostMemory in all. Tests that run it must not be parallel, since
// the memory of other tests counts too. It returns the client's error.
func Bounded(t *testing.T, limit time.Duration, client func(ctx context.Context) error) (err error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		err = client(t.Context())
		if took := time.Since(began); took > limit {
			t.Errorf("it took %s, want at most %s", took, limit)
		}
		time.Sleep(5 * dripTime) // until the server has noticed that the client has gone; the end of TLS may take 5 s
	})
	runtime.ReadMemStats(&after)
	if took := after.TotalAlloc - before.TotalAlloc; took > MostMemory {
		t.Errorf("%d MiB were allocated, want at most %d", took>>20, MostMemory>>20)
	} else {
		t.Logf("%d KiB were allocated: %v", took>>10, err)
	}
	return err
}

package ovn_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"kinit/engine/module/moduletest"
	"kinit/engine/transport/transporttest/hostileweb"
	"kinit/modules/internal/ovn"
	"kinit/modules/internal/ovn/ovntest"
)

// TestHostileDatabasesNeitherFillTheMemoryNorHoldTheRun lets a real server give the first answers of a connection, and floods the
// client in place of the next one. Not parallel: it measures memory.
func TestHostileDatabasesNeitherFillTheMemoryNorHoldTheRun(t *testing.T) {
	servers := ovntest.Start(t, ovn.Northbound())
	forever := func(text string) func(io.Writer) {
		return func(w io.Writer) {
			for block := bytes.Repeat([]byte(text), 32<<10/len(text)); ; {
				if _, err := w.Write(block); err != nil {
					return
				}
			}
		}
	}
	for name, flood := range map[string]struct {
		begin string
		write func(io.Writer)
	}{
		"a text without end":  {`"`, forever("x")},
		"nested lists":        {"", forever("[")},
		"nested objects":      {"", forever(`{"a":`)},
		"empty lists":         {"[", forever("[],")},
		"a list of numbers":   {"[", forever("1,")},
		"spaces":              {"", forever(" ")},
		"rows":                {`[false,"0",{"Logical_Switch":{`, func(w io.Writer) { rows(w, 0) }},
		"rows up to an end":   {`[false,"0",{"Logical_Switch":{`, func(w io.Writer) { rows(w, ovn.MostTaken*56/2*9/10/(1000+150/2+28*3)) }},
		"answers to nothing":  {`[]}`, forever(`{"id":99,"error":null,"result":[]}`)},
		"requests for echoes": {`[]}`, forever(`{"id":"x","method":"echo","params":["x"]}`)},
		"empty updates":       {`[]}`, forever(`{"id":null,"method":"update3","params":["x","0",{}]}`)},
	} {
		for answers, asked := range []string{"databases", "schema", "rows"} {
			t.Run(asked+"/"+name, func(t *testing.T) {
				h := moduletest.NewFakeHost(t, "c1")
				h.Sockets = map[string]string{ovn.NorthboundSocket: floodsAfter(t, servers.Socket(ovn.Northbound()), answers, flood.begin, flood.write)}
				h.FS.Put(ovn.NorthboundSocket, "", 0o600)
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				began := time.Now()
				session, err := ovn.Open(ctx, h, ovn.Northbound())
				if err == nil {
					err = session.Wait(ctx, func() (bool, error) { return false, nil })
					session.Close()
				}
				took := time.Since(began)
				runtime.ReadMemStats(&after)
				memory := after.TotalAlloc - before.TotalAlloc
				t.Logf("%d KiB were allocated in %s: %v", memory>>10, took.Round(time.Millisecond), err)
				if err == nil || memory > hostileweb.MostMemory || took > 10*time.Second {
					t.Errorf("%d MiB were allocated, want at most %d", memory>>20, hostileweb.MostMemory>>20)
				}
			})
		}
	}
}

// rows writes rows without content, up to so many bytes, or without end.
func rows(w io.Writer, most int) {
	var block bytes.Buffer
	for i, size := 0, 0; most == 0 || size < most; i++ {
		n, _ := fmt.Fprintf(&block, `"%08x-0000-0000-0000-000000000000":{"initial":{}},`, i)
		size += n
		if block.Len() > 32<<10 {
			if _, err := block.WriteTo(w); err != nil {
				return
			}
		}
	}
	_, _ = block.WriteTo(w)
	_, _ = io.WriteString(w, `"ffffffff-0000-0000-0000-000000000000":{"initial":{}}}}]}`)
	time.Sleep(time.Second)
}

// floodsAfter listens on a socket before a server's. After so many of the server's answers it begins the next one itself.
func floodsAfter(t *testing.T, server string, answers int, begin string, flood func(io.Writer)) string {
	t.Helper()
	return before(t, server, func(near, far net.Conn, done *sync.WaitGroup) {
		defer near.Close()
		defer far.Close()
		asked, answered := json.NewDecoder(near), json.NewDecoder(far)
		for i := range answers + 1 {
			var request struct{ ID json.RawMessage }
			var text, answer json.RawMessage
			if asked.Decode(&text) != nil || json.Unmarshal(text, &request) != nil {
				return
			}
			if i == answers {
				_, _ = io.Copy(near, strings.NewReader(`{"id":`+string(request.ID)+`,"error":null,"result":`+begin))
				done.Go(func() { _, _ = io.Copy(io.Discard, near) })
				flood(near)
				return
			}
			if _, err := far.Write(text); err != nil || answered.Decode(&answer) != nil {
				return
			}
			_, _ = near.Write(answer)
		}
	})
}

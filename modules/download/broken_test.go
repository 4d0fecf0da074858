package download

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// breaking serves the payload and cuts each connection after so many bytes; it counts the requests.
func breaking(t *testing.T, after int) (url string, requests *atomic.Int32) {
	t.Helper()
	requests = &atomic.Int32{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		http.ServeContent(&cutting{ResponseWriter: w, left: after}, r, "file", time.Time{}, bytes.NewReader(payload()))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/file", requests
}

// cutting ends the connection when so many bytes were written.
type cutting struct {
	http.ResponseWriter
	left int
}

func (c *cutting) Write(data []byte) (int, error) {
	if len(data) > c.left {
		_, _ = c.ResponseWriter.Write(data[:c.left])
		panic(http.ErrAbortHandler)
	}
	c.left -= len(data)
	return c.ResponseWriter.Write(data)
}

func TestABrokenTransferGoesOnAsLongAsTheFileGrows(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		after, requests int
		fails           bool
	}{
		"a bit more than a third each time": {100 << 10, 3, false},
		"nothing at all":                    {0, 1, true},
	} {
		for _, program := range []string{"curl", "wget"} {
			t.Run(name+" "+program, func(t *testing.T) {
				t.Parallel()
				url, requests := breaking(t, test.after)
				local := moduletest.LocalHost(t, "")
				var h module.Host = local
				if program == "wget" {
					h = wgetHost{local}
				}
				said := moduletest.Apply(t, task(t, local, fmt.Sprintf("url = %q\nsha256 = %q", url, sha(payload()))), h)
				if got := int(requests.Load()); got != test.requests {
					t.Errorf("%d requests, want %d", got, test.requests)
				}
				if test.fails != strings.Contains(said, url) || !test.fails && said != "" {
					t.Errorf("it says %q", said)
				}
				if !test.fails && !bytes.Equal(read(t, local.Path("dest")), payload()) {
					t.Error("the file is not what the server has")
				}
			})
		}
	}
}

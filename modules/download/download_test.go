package download

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zclconf/go-cty/cty"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
)

// payload is what the test server has: 256 KiB of noise, the same each time.
func payload() []byte {
	data := make([]byte, 256<<10)
	rand.NewChaCha8([32]byte{}).Read(data)
	return data
}

func sha(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// server serves the payload at /file and knows which ranges were asked for.
type server struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func serve(t *testing.T) *server {
	s := &server{}
	mux := http.NewServeMux()
	mux.HandleFunc("/file", func(w http.ResponseWriter, r *http.Request) {
		s.note(r)
		http.ServeContent(w, r, "file", time.Time{}, bytes.NewReader(payload()))
	})
	mux.HandleFunc("/norange/file", func(w http.ResponseWriter, r *http.Request) {
		s.note(r)
		w.Write(payload())
	})
	mux.HandleFunc("/file.sha256", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s\n", sha(payload()))
	})
	mux.HandleFunc("/SHA256SUMS", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s *other\n%s  ./file\n", sha(nil), sha(payload()))
	})
	s.Server = httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s
}

func (s *server) note(r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ranges = append(s.ranges, r.Header.Get("Range"))
}

func (s *server) asked() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.ranges)
}

// wgetHost is a machine without curl.
type wgetHost struct{ *moduletest.Local }

func (h wgetHost) Run(ctx context.Context, c module.Command) (module.Output, error) {
	if c.Argv[0] == "sh" {
		return module.Output{Stdout: "/usr/bin/wget\n"}, ctx.Err()
	}
	return h.Local.Run(ctx, c)
}

func TestSuite(t *testing.T) {
	t.Parallel()
	s := serve(t)
	sum := sha512.Sum512(payload())
	for name, args := range map[string]string{
		"sha256":     fmt.Sprintf("url = \"%s/file\"\nsha256 = \"%s\"\nmode = \"0755\"", s.URL, strings.ToUpper(sha(payload()))),
		"sha512":     fmt.Sprintf("url = \"%s/file\"\nsha512 = \"%s\"", s.URL, hex.EncodeToString(sum[:])),
		"sha256_url": fmt.Sprintf("url = \"%s/file\"\nsha256_url = \"%[1]s/SHA256SUMS\"", s.URL),
		"lone sum":   fmt.Sprintf("url = \"%s/file\"\nsha256_url = \"%[1]s/file.sha256\"", s.URL),
		"unverified": fmt.Sprintf("url = \"%s/file\"\nunverified = true", s.URL),
	} {
		for _, owner := range []string{"", "demo"} {
			t.Run(name+" owner "+owner, func(t *testing.T) {
				t.Parallel()
				h := moduletest.LocalHost(t, owner)
				moduletest.Run(t, moduletest.Case{
					New:    func() module.Task { return task(t, h, args) },
					Absent: func() module.Task { return task(t, h, `state = "absent"`) },
					Host:   h,
				})
				checkLeft(t, h)
			})
		}
	}
}

func TestSuiteWithWget(t *testing.T) {
	t.Parallel()
	h := wgetHost{moduletest.LocalHost(t, "demo")}
	args := fmt.Sprintf("url = \"%s/file\"\nsha256 = \"%s\"", serve(t).URL, sha(payload()))
	moduletest.Run(t, moduletest.Case{
		New:    func() module.Task { return task(t, h.Local, args) },
		Absent: func() module.Task { return task(t, h.Local, `state = "absent"`) },
		Host:   h,
	})
}

func TestSuiteFromAFileOfTheHost(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	source := h.Path("source img")
	write(t, source, payload())
	args := fmt.Sprintf("url = \"file://%s\"\nsha256 = \"%s\"", strings.ReplaceAll(source, " ", "%20"), sha(payload()))
	moduletest.Run(t, moduletest.Case{
		New:    func() module.Task { return task(t, h, args) },
		Absent: func() module.Task { return task(t, h, `state = "absent"`) },
		Host:   h,
	})
	checkLeft(t, h, "source img")
}

func TestMarksOfADownload(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "demo")
	args := fmt.Sprintf("url = \"%s/file\"\nsha256 = \"%s\"\nkeep = true", serve(t).URL, sha(payload()))
	if got := moduletest.Apply(t, task(t, h, args), h); got != "" {
		t.Fatal(got)
	}
	want := []module.Mark{
		{Kind: "download", ID: h.Path("dest"), Keep: true},
		{Kind: "download", ID: h.Path("dest.kinit-sum"), Keep: true},
	}
	got, err := h.Marks(t.Context())
	if err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("marks %v, %v, want %v", got, err, want)
	}
}

func TestInterruptedDownloadGoesOn(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, path string
		part       []byte
		want       []string // the ranges asked for
	}{
		{"half is there", "/file", payload()[:100000], []string{"bytes=100000-"}},
		{"all is there", "/file", payload(), []string{fmt.Sprintf("bytes=%d-", len(payload()))}},
		{"another version is there", "/file", []byte("other"), []string{"bytes=5-", ""}},
		{"server knows no ranges", "/norange/file", payload()[:1000], []string{"bytes=1000-", ""}},
	} {
		for _, program := range []string{"curl", "wget"} {
			t.Run(c.name+" "+program, func(t *testing.T) {
				t.Parallel()
				s, local := serve(t), moduletest.LocalHost(t, "")
				var h module.Host = local
				if program == "wget" {
					h = wgetHost{local}
				}
				write(t, local.Path("dest.part"), c.part)
				got := moduletest.Apply(t, task(t, local, fmt.Sprintf("url = \"%s%s\"\nsha256 = \"%s\"", s.URL, c.path, sha(payload()))), h)
				if got != "" {
					t.Fatal(got)
				}
				if !bytes.Equal(read(t, local.Path("dest")), payload()) {
					t.Error("the file is not what the server has")
				}
				if program == "curl" && !slices.Equal(s.asked(), c.want) {
					t.Errorf("ranges %q, want %q", s.asked(), c.want)
				}
				checkLeft(t, local, "dest", "dest.kinit-sum")
			})
		}
	}
}

func TestWrongChecksumIsAnErrorAndLeavesNothing(t *testing.T) {
	t.Parallel()
	s, h := serve(t), moduletest.LocalHost(t, "")
	args := fmt.Sprintf("url = \"%s/file\"\nsha256 = \"%s\"", strings.Replace(s.URL, "//", "//joe:pass@", 1), sha(nil))
	want := fmt.Sprintf("sha256 of %s/file is %s, want %s: the file at the source is another one, or the transfer was damaged",
		strings.Replace(s.URL, "//", "//joe:xxxxx@", 1), sha(payload()), sha(nil))
	if got := moduletest.Apply(t, task(t, h, args), h); got != want {
		t.Errorf("error %q, want %q", got, want)
	}
	checkLeft(t, h)
}

func TestMissingFileIsAnErrorOfTheProgram(t *testing.T) {
	t.Parallel()
	s, h := serve(t), moduletest.LocalHost(t, "")
	got := moduletest.Apply(t, task(t, h, fmt.Sprintf("url = \"%s/nothing\"\nunverified = true", s.URL)), h)
	if !strings.HasPrefix(got, "download "+s.URL+"/nothing: command ended with code 22: ") || !strings.Contains(got, "404") {
		t.Errorf("error %q", got)
	}
}

func TestChangedFileIsHashedAndFetchedAgain(t *testing.T) {
	t.Parallel()
	s, h := serve(t), moduletest.LocalHost(t, "demo")
	args := fmt.Sprintf("url = \"%s/file\"\nsha256 = \"%s\"", s.URL, sha(payload()))
	if got := moduletest.Apply(t, task(t, h, args), h); got != "" {
		t.Fatal(got)
	}
	damaged := payload()
	damaged[1000]++
	write(t, h.Path("dest"), damaged)
	steps := moduletest.Texts(t, task(t, h, args), h)
	if want := []string{"download " + s.URL + "/file to " + h.Path("dest") + ", whose checksum differs"}; !slices.Equal(steps, want) {
		t.Errorf("steps %q, want %q", steps, want)
	}
	if got := moduletest.Apply(t, task(t, h, args), h); got != "" || !bytes.Equal(read(t, h.Path("dest")), payload()) {
		t.Errorf("not repaired: %s", got)
	}
}

func TestDecisions(t *testing.T) {
	t.Parallel()
	const dest, hexA = "/d/f", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
	hexB := strings.Repeat("b", 64)
	// The first file that MemFiles writes is a second younger than 2024.
	line := func(hex string, seconds int64) string {
		return fmt.Sprintf("sha256 %s 3 %d\n", hex, (1704067200+seconds)*1e9)
	}
	for _, c := range []struct {
		name, sidecar, hashed, args, want string
		mark                              bool
	}{
		{name: "remembered", sidecar: line(hexA, 1), want: ""},
		{name: "remembered, other mode", sidecar: line(hexA, 1), args: `mode = "0600"`, want: "set /d/f: mode 0644 to 0600"},
		{name: "remembered with another checksum", sidecar: line(hexB, 1), mark: true, want: "download http://h/f to /d/f, whose checksum differs"},
		{name: "touched since, but right", sidecar: line(hexA, 9), hashed: hexA, want: ""},
		{name: "nothing remembered, but right", hashed: hexA, want: ""},
		{name: "nothing remembered and wrong", hashed: hexB, mark: true, want: "download http://h/f to /d/f, whose checksum differs"},
		{name: "wrong and foreign", hashed: hexB, want: "/d/f exists with another checksum and is not owned by cluster demo: move it away"},
		{name: "garbage remembered", sidecar: "hello", hashed: hexA, want: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := moduletest.NewFakeHost(t, "demo")
			h.FS.Put(dest, "abc", 0o644)
			if c.sidecar != "" {
				h.FS.Put(dest+".kinit-sum", c.sidecar, 0o644)
			}
			if c.hashed != "" {
				h.On("sha256sum", "--", dest).Out(c.hashed + "  " + dest + "\n")
			}
			if c.mark {
				if err := h.Own(t.Context(), module.Mark{Kind: "download", ID: dest}); err != nil {
					t.Fatal(err)
				}
			}
			task := moduletest.Decode(t, Kind(), "url = \"http://h/f\"\ndest = \"/d/f\"\nsha256 = \""+hexA+"\"\n"+c.args)
			got := ""
			if steps, err := task.Plan(t.Context(), h); err != nil {
				got = err.Error()
			} else if len(steps) > 0 {
				got = steps[0].String()
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestProgressShowsHowTheFileGrows(t *testing.T) {
	t.Parallel()
	more := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write(payload())
		w.(http.Flusher).Flush()
		<-more
	}))
	defer s.Close()
	h := moduletest.LocalHost(t, "")
	done := make(chan string)
	go func() {
		done <- moduletest.Apply(t, task(t, h, fmt.Sprintf("url = \"%s/file\"\nunverified = true", s.URL)), h)
	}()
	deadline := time.After(20 * time.Second)
	for len(h.Reports()) == 0 {
		select {
		case <-time.After(20 * time.Millisecond):
		case <-deadline:
			t.Fatal("no progress")
		}
	}
	close(more)
	if got := <-done; got != "" {
		t.Fatal(got)
	}
	if p := h.Reports()[0]; p.Text != "download "+h.Path("dest") || p.Done <= 0 {
		t.Errorf("progress %+v", p)
	}
}

func TestNoClientIsExplained(t *testing.T) {
	t.Parallel()
	h := moduletest.NewFakeHost(t, "")
	h.On("sh", "-c", "command -v curl || command -v wget").Fail(127, "")
	got := moduletest.Apply(t, moduletest.Decode(t, Kind(), "url = \"http://h/f\"\ndest = \"/tmp/f\"\nunverified = true"), h)
	if want := "neither curl nor wget is installed: install one with a package task before"; got != want {
		t.Errorf("error %q, want %q", got, want)
	}
}

func TestFindSum(t *testing.T) {
	t.Parallel()
	a, b := strings.Repeat("a", 64), strings.Repeat("B", 64)
	for _, c := range []struct{ list, want string }{
		{a + "\n", a},
		{a + "  f\n", a},
		{b + " *x/f\n" + a + "  g\n", strings.ToLower(b)},
		{a + "  g\n", ""},
		{"# f: 5 bytes\nSHA256 (g) = " + a + "\nSHA256 (f) = " + b + "\n", strings.ToLower(b)},
		{"SHA512 (f) = " + a + "\n", ""},
		{"<html>", ""},
		{"", ""},
	} {
		got, err := findSum(c.list, "f", "sha256")
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("findSum(%q) = %q, %v, want %q", c.list, got, err, c.want)
		}
	}
}

func TestOutputs(t *testing.T) {
	t.Parallel()
	h := moduletest.LocalHost(t, "")
	task := task(t, h, fmt.Sprintf("url = \"%s/file\"\nsha256_url = \"%[1]s/file.sha256\"", serve(t).URL))
	if got := moduletest.Apply(t, task, h); got != "" {
		t.Fatal(got)
	}
	got, err := module.Outputs(t.Context(), task, h)
	if err != nil || !got["sha256"].RawEquals(cty.StringVal(sha(payload()))) || !got["path"].RawEquals(cty.StringVal(h.Path("dest"))) {
		t.Errorf("outputs %#v, %v", got, err)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	for args, want := range map[string]string{
		`url = "http://h/f"`:                                     "want exactly one of sha256, sha512, sha256_url, sha512_url and unverified = true",
		"url = \"http://h/f\"\nsha256 = \"abc\"":                 `sha256 is "abc", want 64 hex digits`,
		"url = \"ftp://h/f\"\nunverified = true":                 `url is "ftp://h/f", want a full URL with http, https, file`,
		"url = \"http:///f\"\nunverified = true":                 `url is "http:///f", want a full URL with http, https, file`,
		"url = \"h\"\nunverified = true":                         `url is "h", want a full URL with http, https, file`,
		"unverified = true":                                      `url is "", want a full URL with http, https, file`,
		"url = \"http://h/f\"\nunverified = true\nmode = \"rw\"": `mode is "rw", want octal permission bits from "0001" to "0777", such as "0644"`,
	} {
		moduletest.Refused(t, moduletest.Decode(t, Kind(), "dest = \"/f\"\n"+args), want)
	}
}

func task(t *testing.T, h *moduletest.Local, args string) *Task {
	t.Helper()
	return moduletest.Decode(t, Kind(), `dest = "`+h.Path("dest")+"\"\n"+args).(*Task)
}

// checkLeft checks which files are in the host's folder.
func checkLeft(t *testing.T, h *moduletest.Local, want ...string) {
	t.Helper()
	entries, err := os.ReadDir(h.Dir)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries {
		got = append(got, e.Name())
	}
	if !slices.Equal(got, want) {
		t.Errorf("in the folder: %q, want %q", got, want)
	}
}

func write(t *testing.T, path string, data []byte) {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

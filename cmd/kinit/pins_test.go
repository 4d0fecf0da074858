package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kinit/cmd/kinit/exit"
	"kinit/cmd/kinit/pins"
)

func digestOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// fileSite is a server of files whose text is their path; it has nothing below /gone.
func fileSite(t *testing.T) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/gone") {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, r.URL.Path)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// pinsFile writes a file of pins into the folder that the program works in.
func (p *program) pinsFile(t *testing.T, list pins.List) {
	t.Helper()
	text, err := list.Text()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Cwd, "pins.json"), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestPinsShowsTheDigestsAndWhatHasNone(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "pins", "list", "--file", "pins.json")
	mine := "sha256:" + strings.Repeat("ab", 32)
	p.pinsFile(t, pins.List{"haproxy": {Used: "me", Version: "3.0", Image: "mirror.example/haproxy", Digest: mine}})
	if code := p.run(); code != exit.OK {
		t.Fatalf("code %d: %s", code, p.err.String())
	}
	want := map[string]string{
		"NAME":    "NAME VERSION DIGEST USED BY REFERENCE",
		"haproxy": "haproxy 3.0 " + mine + " me mirror.example/haproxy:3.0",
		"virtio_win": "virtio_win 0.1.285-1 sha256:e14cf2b94492c3e925f0070ba7fdfedeb2048c91eea9c5a5afb30232a3976331 guests with Windows " +
			"https://fedorapeople.org/groups/virt/virtio-win/direct-downloads/archive-virtio/virtio-win-0.1.285-1/virtio-win-0.1.285.iso",
		"flannel": "flannel v0.26.7 not pinned the cluster's registry ghcr.io/flannel-io/flannel:v0.26.7",
	}
	got := map[string]string{}
	for line := range strings.Lines(p.out.String()) {
		words := strings.Fields(line)
		if _, ok := want[words[0]]; ok {
			got[words[0]] = strings.Join(words, " ")
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestPinsAsJSONAreAList(t *testing.T) {
	t.Parallel()
	p := newProgram(t, "pins", "list", "--output", "json")
	if code := p.run(); code != exit.OK {
		t.Fatalf("code %d: %s", code, p.err.String())
	}
	var got pins.List
	if err := json.Unmarshal(p.out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want, err := shippedPins()
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v, list (-want +got):\n%s", err, diff)
	}
}

func TestPinsWithoutACommandListsThoseThatShip(t *testing.T) {
	t.Parallel()
	p, list := newProgram(t, "pins"), newProgram(t, "pins", "list")
	if code, also := p.run(), list.run(); code != exit.OK || also != exit.OK || p.out.Len() == 0 {
		t.Fatalf("codes %d and %d: %s", code, also, p.err.String())
	}
	if diff := cmp.Diff(list.out.String(), p.out.String()); diff != "" {
		t.Errorf("output (-list +without a command):\n%s", diff)
	}
}

func TestPinsCheckComparesWithWhatIsThere(t *testing.T) {
	t.Parallel()
	url := fileSite(t)
	other := "sha256:" + strings.Repeat("0", 64)
	list := pins.List{
		"kubeadm": {Version: "1", URL: url + "/a", Digest: digestOf("/a")},
		"kubectl": {Version: "1", URL: url + "/b"},
		"kubelet": {Version: "1", URL: url + "/c", Digest: other},
		"nginx":   {Version: "1", URL: url + "/gone", Digest: other},
	}
	for _, tc := range []struct {
		names string
		code  int
		want  string
	}{
		{"kubeadm", exit.OK, "kubeadm  ok\n"},
		{"kubectl kubeadm", exit.Pending, "kubeadm  ok\nkubectl  not pinned: it is " + digestOf("/b") + "\n"},
		{"kubectl kubelet", exit.Failed, "kubectl  not pinned: it is " + digestOf("/b") + "\nkubelet  differs: it is " + digestOf("/c") + ", pinned is " + other + "\n"},
		{"nginx", exit.Failed, "nginx  failed: fetch " + url + "/gone: the site answers 404 Not Found\n"},
	} {
		p := newProgram(t, append([]string{"pins", "check", "--file", "pins.json"}, strings.Fields(tc.names)...)...)
		p.pinsFile(t, list)
		if code := p.run(); code != tc.code {
			t.Errorf("%s: code %d, want %d", tc.names, code, tc.code)
		}
		if diff := cmp.Diff(tc.want, p.out.String()); diff != "" {
			t.Errorf("%s (-want +got):\n%s%s", tc.names, diff, p.err.String())
		}
	}
}

func TestPinsRenewWritesWhatItFetchedAndKeepsTheRest(t *testing.T) {
	t.Parallel()
	url := fileSite(t)
	old := "sha256:" + strings.Repeat("0", 64)
	p := newProgram(t, "pins", "renew", "kubeadm", "kubelet", "nginx", "--file", "pins.json")
	p.pinsFile(t, pins.List{
		"kubeadm": {Version: "1", URL: url + "/a"},
		"kubectl": {Version: "1", URL: url + "/b"},
		"kubelet": {Version: "1", URL: url + "/c", Digest: old},
		"nginx":   {Version: "1", URL: url + "/gone", Digest: old},
	})
	if code := p.run(); code != exit.Failed {
		t.Errorf("code %d, want %d", code, exit.Failed)
	}
	want := "kubeadm  " + digestOf("/a") + ", before: not pinned\n" +
		"kubelet  " + digestOf("/c") + ", before: " + old + "\n" +
		"nginx  failed: fetch " + url + "/gone: the site answers 404 Not Found\n"
	if diff := cmp.Diff(want, p.out.String()); diff != "" {
		t.Errorf("output (-want +got):\n%s%s", diff, p.err.String())
	}
	text, err := os.ReadFile(filepath.Join(p.Cwd, "pins.json"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := pins.Parse(text)
	wantList := pins.List{
		"kubeadm": {Version: "1", URL: url + "/a", Digest: digestOf("/a")},
		"kubectl": {Version: "1", URL: url + "/b"},
		"kubelet": {Version: "1", URL: url + "/c", Digest: digestOf("/c")},
		"nginx":   {Version: "1", URL: url + "/gone", Digest: old},
	}
	if diff := cmp.Diff(wantList, got); err != nil || diff != "" {
		t.Errorf("%v, file (-want +got):\n%s", err, diff)
	}
}

func TestPinsRenewWithoutAFileOrWithAnUnknownNameIsAMistake(t *testing.T) {
	t.Parallel()
	for want, args := range map[string][]string{
		"it needs --file, the file that it writes, as in --file pins.json": {"pins", "renew"},
		`there is no pin "hapoxy". Did you mean "haproxy"?`:                {"pins", "renew", "hapoxy", "--file", "pins.json"},
	} {
		p := newProgram(t, args...)
		if code := p.run(); code != exit.Usage || !strings.Contains(p.err.String(), want) {
			t.Errorf("code %d: %s, want %s", code, p.err.String(), want)
		}
		if _, err := os.Stat(filepath.Join(p.Cwd, "pins.json")); !os.IsNotExist(err) {
			t.Errorf("a file is there: %v", err)
		}
	}
}

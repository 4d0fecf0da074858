package etcdleave_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kinit/engine/module"
	"kinit/engine/module/moduletest"
	"kinit/modules/etcd_leave"
)

func snapshotTask(endpoint, path string) *etcdleave.SnapshotTask {
	made := etcdleave.SnapshotKind().New().(*etcdleave.SnapshotTask)
	made.Endpoint, made.Path = endpoint, path
	return made
}

func TestASnapshotOfARealEtcdHasAllThatWasWritten(t *testing.T) {
	t.Parallel()
	e, h := newEtcd(t, 1), moduletest.LocalHost(t, "k8s")
	encode := func(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }
	e.ask(t, "a", "kv/put", fmt.Sprintf(`{"key": %q, "value": %q}`, encode("page"), encode(strings.Repeat("large ", 20000)+"end of the page")), &struct{}{})
	path := filepath.Join(t.TempDir(), "below", "before.db")
	made := snapshotTask(e.urls["a"], path)
	moduletest.WantTexts(t, made, h, "save a snapshot of etcd in "+path)
	if !made.Unverifiable() {
		t.Error("a snapshot is verified by a second look, which always wants another one")
	}
	moduletest.Do(t, made, h)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != fs.FileMode(0o600) {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	// The pages of etcd's database, and their checksum: what etcdutl restores from.
	pages, sum := text[:len(text)-sha256.Size], text[len(text)-sha256.Size:]
	if is := sha256.Sum256(pages); len(pages)%512 != 0 || !bytes.Equal(is[:], sum) || !bytes.Contains(pages, []byte("end of the page")) {
		t.Errorf("%d bytes, with what was written: %t", len(text), bytes.Contains(pages, []byte("end of the page")))
	}
	moduletest.Marks(t, h, module.Mark{Kind: "directory", ID: filepath.Dir(path)}, module.Mark{Kind: "file", ID: path})
	moduletest.Do(t, snapshotTask(e.urls["a"], path), h)
}

// answering is a member that follows a leader, and gives one answer when it is asked for a snapshot.
func answering(t *testing.T, code int, text string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/snapshot") {
			_, _ = w.Write([]byte(`{"leader": "1"}`))
			return
		}
		w.WriteHeader(code)
		_, _ = w.Write([]byte(text))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestASnapshotThatIsNotCompleteReplacesNothing(t *testing.T) {
	t.Parallel()
	part := func(text string) string {
		return `{"result": {"blob": "` + base64.StdEncoding.EncodeToString([]byte(text)) + `"}}` + "\n"
	}
	for name, test := range map[string]struct {
		code       int
		text, want string
	}{
		"nothing":                {200, "", "it sends nothing: the snapshot is not as the checksum says that etcd has sent behind it"},
		"a part without a sum":   {200, part(strings.Repeat("x", 512)), "the snapshot is not as the checksum says that etcd has sent behind it"},
		"half a part":            {200, part(strings.Repeat("x", 512))[:100], "unexpected EOF"},
		"an error in the middle": {200, part("x") + `{"error": {"message": "etcdserver: no space"}}`, "etcdserver: no space"},
		"more than announced": {200, part("x") + part(strings.Repeat("x", 512)),
			"it sends more than the 33 bytes that it has announced, or a message without any"},
		"empty messages":           {200, part("x") + part(""), "it sends more than the 33 bytes that it has announced, or a message without any"},
		"a member that refuses it": {403, "", "it answers 403 Forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, path := moduletest.LocalHost(t, "k8s"), filepath.Join(t.TempDir(), "before.db")
			got := moduletest.Apply(t, snapshotTask(answering(t, test.code, test.text), path), h)
			if !strings.HasSuffix(got, test.want) {
				t.Errorf("%q, want an end like %q", got, test.want)
			}
			left, err := os.ReadDir(filepath.Dir(path))
			if err != nil || len(left) > 0 {
				t.Errorf("left are %v, %v", left, err)
			}
		})
	}
}

func TestASnapshotDoesNotReplaceAFileOfSomebodyElse(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "theirs")
	if err := os.WriteFile(path, []byte("theirs"), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256([]byte("x"))
	all := `{"result": {"blob": "` + base64.StdEncoding.EncodeToString(append([]byte("x"), sum[:]...)) + `"}}`
	want := path + " exists and is not owned by cluster k8s: move it away, or use another path"
	if got := moduletest.Apply(t, snapshotTask(answering(t, 200, all), path), moduletest.LocalHost(t, "k8s")); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	moduletest.Refused(t, snapshotTask("127.0.0.1:2379", path), `endpoint is "127.0.0.1:2379", expected a URL such as "https://127.0.0.1:2379"`)
}
